import { type Agent, type AgentResult, createNoiseTail, type NoiseTail } from '../agents/index.js';
import { type ContentWriter, createContentWriter } from '../store/index.js';
import { agentPrompt } from './agent-prompt.js';

import { createDeadline } from './deadline.js';
import { LiveText } from './live-text.js';
import type { StepWork } from './work.js';

export type Call = { result: AgentResult; content: ContentWriter; noise: NoiseTail };

/** One question to an agent: its answer streams into nodes and into the live text; the role's timeout ends it. */
export async function callAgent(
  input: StepWork,
  agent: Agent,
  correction: string | null,
): Promise<Call> {
  const { host, thread, workflow, request, key, visit } = input;
  const { store } = host;
  const content = createContentWriter(store);
  const noise = createNoiseTail();
  const live = new LiveText(store, key.thread, key.seq);
  const timeoutMs = workflow.definition?.roles[request.role]?.timeout ?? null;
  const deadline = createDeadline(input.control.signal, timeoutMs, `role ${request.role}`);
  try {
    const result = await agent.run({
      thread: key.thread,
      seq: key.seq,
      attempt: key.attempt,
      role: request.role,
      visit,
      get prompt() {
        return promptFor(input, agent, correction);
      },
      workspace: thread.workspace,
      env: { ...host.env, ...scriptFiles(input, agent) },
      sessionId: null,
      signal: deadline.signal,
      onOutput: (chunk) => {
        content.write(chunk);
        live.add('text', chunk);
      },
      onNoise: (chunk) => {
        noise.add(chunk);
        live.add('stderr', chunk);
      },
      onProcess: (group) => store.write('normal', () => store.steps.setProcess(key, group)),
      log: host.log,
    });
    return { result, content, noise };
  } finally {
    deadline.clear();
    await live.close();
  }
}

function promptFor(
  { host, context, request, previous }: StepWork,
  agent: Agent,
  correction: string | null,
): string {
  const { task: given = '' } = request;
  const task = given.trim() === '' ? context.start.content : given;
  return agent.kind === 'run'
    ? task
    : agentPrompt({ host, context, previous, request, task, correction });
}

function scriptFiles({ files, context }: StepWork, agent: Agent): Record<string, string> {
  return agent.kind === 'run' ? files.write(context) : {};
}
