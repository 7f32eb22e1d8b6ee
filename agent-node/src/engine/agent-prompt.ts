import type { RunRoleRequest } from '@uncaged/protocol/workflow';
import { assemblePrompt, type PreviousSteps } from '../extract/index.js';
import type { EngineHost } from './host.js';
import { LATEST_CONTENT_MAX_BYTES } from './limits.js';
import type { GrowingContext } from './thread-context.js';

type Input = {
  host: EngineHost;
  context: GrowingContext;
  previous: PreviousSteps;
  request: RunRoleRequest;
  task: string;
  /** Why the last answer was refused, when it is asked again. */
  correction: string | null;
};

/** What an agent reads (docs/agents.md). */
export function agentPrompt({ host, context, previous, request, task, correction }: Input): string {
  const latest = context.steps.at(-1);
  const prompt = assemblePrompt({
    rolePrompt: request.prompt,
    task,
    previous,
    latest:
      latest === undefined
        ? null
        : {
            role: latest.role,
            content: host.store.nodes.readText(latest.contentHash, LATEST_CONTENT_MAX_BYTES),
            meta: latest.meta,
          },
    schema: request.schema,
  });
  if (correction === null) return prompt;
  return `${prompt}\n\n## Correction\n\nYour last answer was not accepted: ${correction}\nAnswer again, whole, in the answer format.\n`;
}
