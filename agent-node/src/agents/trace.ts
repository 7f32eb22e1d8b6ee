import { createSecretMask } from './secret-mask.js';
import type { AgentTrace, AgentTurn } from './types.js';

type Clean = (text: string | null) => string | null;

/**
 * A trace that may leave its agent: without the agent's secrets, as its output goes, and every text well-formed. A kind
 * that knows traces hands them on only through here.
 */
export function cleanTrace({ turns, durationMs }: AgentTrace, secrets: readonly string[]) {
  const clean = cleaner(secrets);
  return { turns: turns.map((turn) => cleanTurn(turn, clean)), durationMs } satisfies AgentTrace;
}

function cleanTurn(turn: AgentTurn, clean: Clean): AgentTurn {
  return {
    ...turn,
    input: clean(turn.input),
    output: clean(turn.output),
    reasoning: clean(turn.reasoning),
    toolCalls: turn.toolCalls.map((call) => ({
      ...call,
      name: clean(call.name) ?? '',
      arguments: clean(call.arguments),
      result: clean(call.result),
    })),
  };
}

/** One mask for all texts, each of them from its beginning to its end: what it holds back never reaches the next one. */
function cleaner(secrets: readonly string[]): Clean {
  const mask = createSecretMask(secrets);
  return (text) => {
    if (text === null || secrets.length === 0) return text?.toWellFormed() ?? null;
    const begun = mask.add(Buffer.from(text));
    return Buffer.concat([begun, mask.end()]).toString();
  };
}
