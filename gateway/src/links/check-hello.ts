import { labelsSchema, nodeNameSchema } from '@uncaged/protocol/ids';
import type { Admission, Hello } from '@uncaged/protocol/link';
import type { Identity } from '../auth/index.js';

export type Refusal = Extract<Admission, { refuse: unknown }>;

/** What forbids a node to be what it says, whoever else is there; null: nothing. All of it is final for the node. */
export function refusalOf(hello: Hello, identity: Identity): Refusal | null {
  const { node, labels } = hello;
  if (!nodeNameSchema.safeParse(node).success)
    return {
      refuse: 'revoked',
      message: `${quoted(node)} is not a name for a node: a-z, 0-9 and -, at most 63 characters, no - in front. Choose another --name.`,
    };
  if (identity.tokenId !== null && identity.name !== node)
    return {
      refuse: 'revoked',
      message: `The token is that of the node ${quoted(identity.name)}, not of ${quoted(node)}. Connect with --name ${identity.name}, or with a token made for ${node}.`,
    };
  if (!labelsSchema.safeParse(labels).success)
    return {
      refuse: 'protocol',
      message:
        'A label of the node is malformed: names and values are of A-Z, a-z, 0-9 and . _ - /, at most 63 characters. Correct --labels.',
    };
  return null;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
