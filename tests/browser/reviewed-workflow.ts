import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetNode } from '../gateway/fleet.js';
import { writeWorkflow } from '../support/workflows.js';

/** Steps of a thread of `review` as the agent below answers: rejected once, then approved. */
export const REVIEW_STEPS = [
  '1 coder done',
  '2 reviewer done',
  '3 coder done',
  '4 reviewer done',
] as const;

/** Would do something, were it taken for more than text. */
export const HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';

/** Of a result that begins short. */
const RESULT_LINES = 60;

const REVIEW = {
  name: 'review',
  description: 'Writes a change and has it reviewed until the reviewer is content.',
  roles: {
    coder: {
      description: 'Writes the change.',
      goal: 'Change the code as the task asks.',
      frontmatter: {
        type: 'object',
        properties: {
          $status: { enum: ['done'] },
          files: { type: 'array', items: { type: 'string' } },
          lines: { type: 'integer' },
        },
        required: ['$status'],
      },
    },
    reviewer: {
      description: 'Reads the change as a stranger would.',
      goal: 'Review the change.',
      frontmatter: {
        type: 'object',
        properties: { $status: { enum: ['approved', 'rejected'] }, comments: { type: 'string' } },
        required: ['$status'],
      },
    },
  },
  graph: {
    $START: { _: { role: 'coder', prompt: '{{{prompt}}}' } },
    coder: { done: { role: 'reviewer', prompt: 'Review this.' } },
    reviewer: {
      approved: { role: '$END', prompt: 'Approved.' },
      rejected: { role: 'coder', prompt: 'The reviewer says: {{{comments}}}' },
    },
  },
};

const usage = (input: number, output: number) => ({ input, output, cacheRead: 2 * input });

const CODER = [
  {
    text: '---\n$status: done\nfiles: [src/price.js, README.md]\nlines: 14\n---\nI changed how prices are rounded.\n\nThe sum is rounded once, at its end.\nThe old way rounded each line.\n',
    usage: usage(3_200, 410),
    trace: {
      durationMs: 42_000,
      turns: [
        {
          input: 'Change the code as the task asks.\n\nPrices are wrong by a cent.',
          reasoning: 'Rounding each line adds up. I look at where it is done.',
          output: `I read the code first. ${HOSTILE}`,
          toolCalls: [
            {
              name: 'read_file',
              arguments: '{"path":"src/price.js"}',
              result: Array.from(
                { length: RESULT_LINES },
                (_, n) => `line ${n + 1} of the file`,
              ).join('\n'),
              durationMs: 12,
            },
            { name: 'run_tests', arguments: '{}', result: '3 failed', durationMs: 8_400 },
          ],
          usage: usage(1_200, 160),
          latencyMs: 14_000,
        },
        {
          input: null,
          output: 'Now the sum is rounded once.',
          toolCalls: [
            {
              name: 'write_file',
              arguments: '{"path":"src/price.js","text":"…"}',
              result: 'ok',
              durationMs: 9,
            },
          ],
          usage: usage(2_000, 250),
          latencyMs: 9_000,
        },
      ],
    },
  },
  {
    text: '---\n$status: done\nfiles: [src/price.js, README.md, test/price.test.js]\nlines: 31\n---\nI changed how prices are rounded.\n\nThe sum is rounded once, at its end.\nA test holds it.\n',
    usage: usage(4_100, 380),
  },
];

const REVIEWER = [
  {
    text: '---\n$status: rejected\ncomments: There is no test for it.\n---\nNo: nothing would notice if it broke again.\n',
    usage: usage(900, 60),
  },
  { text: '---\n$status: approved\n---\nFine.\n', usage: usage(950, 20) },
];

/** Of another agent, at its first and second visit: what else may come out of the same task. */
const CAREFUL = [
  ...CODER.slice(0, 1),
  {
    text: '---\n$status: done\nfiles: [src/price.js, test/price.test.js, test/sum.test.js]\nlines: 44\n---\nI changed how prices are rounded.\n\nThe sum is rounded once, at its end.\nTwo tests hold it: one for a price, one for a sum.\nThe README says so, too.\n',
    usage: usage(6_400, 720),
  },
];

/** Has `review` done by a thread of its own. */
const SHIP = {
  name: 'ship',
  description: 'Has a change reviewed, and ships it.',
  roles: {
    prepare: { description: 'Looks at what there is.', run: `echo '{"$status":"ready"}'` },
    change: {
      description: 'Makes the change, by a workflow of its own.',
      goal: 'Have it changed and reviewed.',
      agent: 'reviewed',
    },
    publish: { description: 'Ships it.', run: `echo '{"$status":"shipped"}'` },
  },
  graph: {
    $START: { _: { role: 'prepare', prompt: '{{{prompt}}}' } },
    prepare: { _: { role: 'change', prompt: 'Prices are wrong by a cent: put it right.' } },
    change: { _: { role: 'publish', prompt: 'Ship it.' } },
    publish: { _: { role: '$END', prompt: 'Shipped.' } },
  },
};

/**
 * Gives a node the workflow `review` and an agent that has all answers for it, with what it did; and the workflow `ship`, a step
 * of which is a thread of `review`.
 */
export async function addReview({ machine }: FleetNode): Promise<void> {
  const file = writeWorkflow(machine.cwd, 'review', JSON.stringify(REVIEW));
  await machine.json(['workflow', 'add', file]);
  const config = {
    defaultAgent: 'canned',
    agents: {
      canned: { kind: 'scripted', answers: { coder: CODER, reviewer: REVIEWER } },
      reviewed: { kind: 'workflow', workflow: 'review' },
      careful: { kind: 'scripted', answers: { coder: CAREFUL } },
    },
  };
  writeFileSync(join(machine.root, 'workflow.yaml'), `config: ${JSON.stringify(config)}\n`, {
    flag: 'a',
  });
  const nesting = writeWorkflow(machine.cwd, 'ship', JSON.stringify(SHIP));
  await machine.json(['workflow', 'add', nesting]);
}
