import type { Usage } from '@uncaged/protocol/cas';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { Meta, RunRoleRequest, RunRoleResult } from '@uncaged/protocol/workflow';
import type { Agent, AgentResult } from '../agents/index.js';
import { resolveCasRefs } from '../extract/index.js';
import { endTree } from '../process/index.js';
import { type ContentWriter, createContentWriter, type Prepared, type StepKey } from '../store/index.js';
import { type Answer, readAnswer } from './answer.js';
import { REASK_MAX } from './limits.js';
import { LiveText } from './live-text.js';
import { createNoiseTail, type NoiseTail } from './noise-tail.js';
import type { PendingStep, RoleRunnerInput } from './run-role.js';
import { agentPrompt } from './agent-prompt.js';
import { stepMarker } from './step-marker.js';

export type AttemptInput = RoleRunnerInput & {
  request: RunRoleRequest;
  key: StepKey;
  /** Earlier committed steps of this role. */
  visit: number;
};

type Done = { pending: PendingStep; result: RunRoleResult };

/** One attempt at one step: agent, then extract. Its row says running, then committed, failed or cancelled. */
export async function runAttempt(input: AttemptInput): Promise<Done> {
  const { host, thread, workflow, request, key } = input;
  const agent = await host.agentFor(thread, workflow, request.role, request.agent ?? null);
  await endEarlierAttempts(input);
  const startedAt = host.clock();
  await host.store.enqueue('normal', () => {
    host.store.live.clear(key.thread, key.seq);
    host.store.steps.start({ ...key, fence: thread.fence, role: request.role, agent: agent.name, startedAt });
  });
  try {
    return await perform(input, agent, startedAt);
  } catch (error) {
    const problem = problemOf(error);
    const status = problem.code === 'cancelled' ? 'cancelled' : 'failed';
    if (problem.code !== 'lease-lost')
      await host.store.enqueue('normal', () => {
        host.store.live.clear(key.thread, key.seq);
        host.store.steps.fail({
          ...key,
          fence: thread.fence,
          status,
          problem: { code: problem.code, message: problem.message },
          endedAt: host.clock(),
        });
      });
    throw problem;
  }
}

async function perform(input: AttemptInput, agent: Agent, startedAt: number): Promise<Done> {
  const { host, request, key } = input;
  const schema = request.schema;
  let usage: Usage | null = null;
  let correction: string | null = null;
  for (let asked = 0; ; asked++) {
    const call = await callAgent(input, agent, correction);
    usage = addUsage(usage, call.result.usage);
    const answer = readAnswer({ kind: agent.kind, content: call.content, exitCode: call.result.exitCode, schema });
    if (answer.ok) return finish(input, agent, startedAt, call.content, answer.meta, usage, call.noise);
    if (agent.kind === 'run' || asked >= REASK_MAX)
      throw new Problem('answer-invalid', `role ${request.role}: ${answer.problem}\nThe answer was:\n${answer.quote}`);
    host.log('5ZC8WQ1T', `step ${key.seq} ${request.role}: asked again: ${answer.problem}`);
    correction = answer.problem;
  }
}

type Call = { result: AgentResult; content: ContentWriter; noise: NoiseTail };

async function callAgent(input: AttemptInput, agent: Agent, correction: string | null): Promise<Call> {
  const { host, thread, workflow, request, key, context, files, visit } = input;
  const content = createContentWriter(host.store);
  const noise = createNoiseTail();
  const live = new LiveText(host.store, key.thread, key.seq);
  const deadline = createDeadline(input.control.signal, workflow.definition?.roles[request.role]?.timeout ?? null, request.role);
  const isScript = agent.kind === 'run';
  const task = request.task === undefined || request.task.trim() === '' ? context.start.content : request.task;
  try {
    const result = await agent.run({
      thread: key.thread,
      seq: key.seq,
      attempt: key.attempt,
      role: request.role,
      visit,
      prompt: isScript ? task : agentPrompt({ host, context, request, task, correction }),
      workspace: thread.workspace,
      env: {
        ...host.env,
        ...(isScript ? files.write(context.steps.at(-1)?.meta ?? null, context.start.inputs) : {}),
      },
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
      onProcess: (group) => host.store.write('normal', () => host.store.steps.setProcess(key, group)),
      log: host.log,
    });
    return { result, content, noise };
  } finally {
    deadline.clear();
    await live.close();
  }
}

function finish(
  input: AttemptInput,
  agent: Agent,
  startedAt: number,
  content: ContentWriter,
  answered: Meta,
  usage: Usage | null,
  noise: NoiseTail,
): Done {
  const { host, request, key } = input;
  const sealed = content.seal();
  const prepared: Prepared[] = [sealed];
  const { meta, refs } = resolveCasRefs(answered, request.schema, {
    exists: (hash) => host.store.nodes.has(hash),
    put: (text) => {
      const node = host.store.nodes.prepareText(text);
      prepared.push(node);
      return node.hash;
    },
  });
  return {
    pending: { key, role: request.role, agent: agent.name, startedAt, prepared, usage },
    result: { contentHash: sealed.hash, meta, refs: [sealed.hash, ...refs], childThread: null },
  };
}
