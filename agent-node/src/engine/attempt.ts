import type { Usage } from '@uncaged/protocol/cas';
import type { ThreadId } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { Meta, RunRoleResult } from '@uncaged/protocol/workflow';
import type { Agent, AgentResult, AgentTrace, NestedWorkflow } from '../agents/index.js';
import { resolveCasRefs } from '../extract/index.js';
import { isDiskFull } from '../process/index.js';
import { type ContentWriter, createContentWriter, type Prepared } from '../store/index.js';
import { readAgentAnswer, readScriptMeta } from './answer.js';
import { callAgent } from './call-agent.js';
import { diskFull } from './disk-full.js';
import { endLeftovers } from './leftovers.js';
import { REASK_MAX } from './limits.js';
import { runNestedStep } from './nested-step.js';
import { prepareSession } from './session-nodes.js';
import { PauseThread } from './stop.js';
import { addUsage } from './usage.js';
import type { PendingStep, StepWork } from './work.js';

type Done = { pending: PendingStep; result: RunRoleResult };

/** One attempt at one step: agent, then extract. Its row says running, and failed or cancelled if it comes to that. */
export async function runAttempt(input: StepWork): Promise<Done> {
  const { host, thread, workflow, request, key } = input;
  const { store } = host;
  const agent = await host.agentFor(thread, workflow, request.role, request.agent ?? null);
  if (key.attempt > 1) await endEarlierAttempt(input);
  const startedAt = host.clock();
  await store.enqueue('normal', () => {
    if (key.attempt > 1) store.live.clear(key.thread, key.seq);
    store.steps.start({
      ...key,
      fence: thread.fence,
      role: request.role,
      agent: agent.name,
      startedAt,
    });
  });
  try {
    if ('workflow' in agent) return await performNested(input, agent, startedAt);
    // What an earlier attempt had somebody else do; whoever carries the role out now does it alone.
    if (key.attempt > 1) await endEarlierChild(input);
    return agent.kind === 'run'
      ? await performScript(input, agent, startedAt)
      : await performAgent(input, agent, startedAt);
  } catch (error) {
    if (error instanceof PauseThread) throw error;
    const problem = asProblem(error, request.role, store.root);
    if (problem.code !== 'lease-lost') await recordFailure(input, problem);
    throw problem;
  }
}

async function performScript(input: StepWork, agent: Agent, startedAt: number): Promise<Done> {
  const { request, host } = input;
  const { content, result, noise } = await callAgent(input, agent, null);
  const exitCode = result.exitCode ?? 0;
  const { role, schema } = request;
  const meta = readScriptMeta({ role, content, schema, validator: host.validator, exitCode });
  const outcome = { exitCode, noise: noise.quote() };
  const traces = tracesOf(result);
  return finish({ input, agent, startedAt, content, meta, usage: result.usage, traces, outcome });
}

async function performNested(
  input: StepWork,
  agent: NestedWorkflow,
  startedAt: number,
): Promise<Done> {
  const { text, meta, childThread } = await runNestedStep(input, agent);
  const content = createContentWriter(input.host.store);
  content.write(Buffer.from(text));
  const nothing = { usage: null, traces: [], outcome: null };
  return finish({ input, agent, startedAt, content, meta, childThread, ...nothing });
}

/** Asks again, with what was wrong, when the answer does not match the schema. */
async function performAgent(input: StepWork, agent: Agent, startedAt: number): Promise<Done> {
  const { request, host, key } = input;
  const { role, schema } = request;
  const traces: AgentTrace[] = [];
  let usage: Usage | null = null;
  let correction: string | null = null;
  for (let asked = 0; ; asked++) {
    const { content, result } = await callAgent(input, agent, correction);
    usage = addUsage(usage, result.usage);
    traces.push(...tracesOf(result));
    const answer = readAgentAnswer({ role, content, schema, validator: host.validator });
    if (answer.ok)
      return finish({
        input,
        agent,
        startedAt,
        content,
        meta: answer.meta,
        usage,
        traces,
        outcome: null,
      });
    if (asked >= REASK_MAX) {
      const { errorText, quote } = answer;
      throw new Problem(
        'answer-invalid',
        `role ${role}, asked ${asked + 1} times: ${errorText}\nIt answered:\n${quote}`,
      );
    }
    host.log('5ZC8WQ1T', `step ${key.seq} ${role}: asked again: ${answer.errorText}`);
    correction = answer.errorText;
  }
}

type Finished = {
  input: StepWork;
  agent: Pick<Agent, 'name'>;
  startedAt: number;
  content: ContentWriter;
  meta: Meta;
  childThread?: ThreadId;
  usage: Usage | null;
  traces: readonly AgentTrace[];
  outcome: PendingStep['outcome'];
};

function finish(finished: Finished): Done {
  const { input, agent, startedAt, content, meta, usage, traces, outcome, childThread } = finished;
  const { host, request, key } = input;
  const sealed = content.seal();
  const prepared: Prepared[] = [sealed];
  const resolved = resolveCasRefs(meta, request.schema, {
    exists: (hash) => host.store.nodes.has(hash),
    put: (text) => {
      const node = host.store.nodes.prepareText(text);
      prepared.push(node);
      return node.hash;
    },
  });
  const { role } = request;
  const session = prepareSession(host.store.nodes, { agent: agent.name, role, traces, usage });
  prepared.push(...(session?.nodes ?? []));
  return {
    pending: {
      key,
      role,
      agent: agent.name,
      startedAt,
      prepared,
      session: session?.hash ?? null,
      usage,
      outcome,
    },
    result: {
      contentHash: sealed.hash,
      meta: resolved.meta,
      refs: [sealed.hash, ...resolved.refs],
      childThread: childThread ?? null,
    },
  };
}

function tracesOf({ trace }: AgentResult): AgentTrace[] {
  return trace === null ? [] : [trace];
}

/** What an attempt that never committed may have left running, also when its worker is long gone. */
async function endEarlierAttempt({ host, key }: StepWork): Promise<void> {
  const left = await endLeftovers(host.store, key.thread, host.killGraceMs);
  if (left.length > 0)
    host.log('3HB6RN8E', `processes of an earlier attempt would not end: ${left.join(', ')}`);
}

async function endEarlierChild({ host, key }: StepWork): Promise<void> {
  const child = host.store.steps.lastChild(key.thread, key.seq)?.childThread ?? null;
  if (child !== null) await host.nested.end(child);
}

async function recordFailure({ host, thread, key }: StepWork, problem: Problem): Promise<void> {
  const { code, message } = problem;
  await host.store.enqueue('normal', () => {
    host.store.live.clear(key.thread, key.seq);
    host.store.steps.fail({
      ...key,
      fence: thread.fence,
      status: code === 'cancelled' ? 'cancelled' : 'failed',
      problem: { code, message },
      endedAt: host.clock(),
    });
  });
}

function asProblem(error: unknown, role: string, root: string): Problem {
  if (isProblem(error)) return error;
  if (isDiskFull(error)) return diskFull(error, root);
  const text = error instanceof Error ? error.message : String(error);
  return new Problem('internal', `role ${role}: ${text}`, { cause: error });
}
