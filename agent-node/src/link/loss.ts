import type { Goaway } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';

/** What the end of a link, or the gateway's announcement of it, means to the node. `how` is null while the link still is there. */
export function goneProblem(gateway: string, goaway: Goaway | null, how: string | null): Problem {
  const details = goaway === null ? {} : { goaway: goaway.code };
  switch (goaway?.code) {
    case 'revoked':
      return new Problem(
        'token-revoked',
        `The gateway at ${gateway} does not take the token of this node any more: ${goaway.message}. Give it a new one.`,
        { details },
      );
    case 'protocol':
      return new Problem('update-needed', goaway.message, { details });
    case 'name-in-use':
      return new Problem('name-in-use', goaway.message, { details });
    case 'shutdown':
      return new Problem(
        'link-lost',
        `The gateway at ${gateway} is shutting down: ${goaway.message}.`,
        { details },
      );
    case 'replaced':
      return new Problem(
        'link-lost',
        `The gateway at ${gateway} has another link of this node: ${goaway.message}.`,
        { details },
      );
    default:
      return new Problem(
        'link-lost',
        `The link to ${gateway} was lost: ${how ?? goaway?.message ?? 'unknown'}.`,
        { details },
      );
  }
}

/** The same, saying what to do where the gateway does not. */
export function withAdvice(problem: Problem, node: string): Problem {
  if (problem.code !== 'name-in-use') return problem;
  return new Problem(
    'name-in-use',
    `${problem.message} If it is not this machine that comes back, stop the other node called "${node}", or give this one another name with --name.`,
    { cause: problem, details: problem.details },
  );
}
