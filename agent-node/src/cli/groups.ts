import type { Command } from 'commander';
import type { CliContext } from './context.js';

/** A top-level command. Its file is read only when it is the one that was asked for. */
export type Group = {
  name: string;
  summary: string;
  /** Section of the usage text. */
  section: string;
  load: () => Promise<{ register: (parent: Command, context: CliContext) => void }>;
};

/** In the order of the usage text. `register` gets the command of this name and gives it its parts. */
export const groups: readonly Group[] = [
  {
    name: 'workflow',
    summary: 'register, check and look at workflows',
    section: 'Workflow registry:',
    load: () => import('./workflow.js'),
  },
  {
    name: 'thread',
    summary: 'start, watch and steer threads',
    section: 'Thread execution:',
    load: () => import('./thread.js'),
  },
  {
    name: 'step',
    summary: 'look at the steps of a thread',
    section: 'Thread execution:',
    load: () => import('./step.js'),
  },
  {
    name: 'cas',
    summary: 'look into the store: every text and state by its hash',
    section: 'Content-addressable storage:',
    load: () => import('./cas.js'),
  },
  {
    name: 'log',
    summary: 'logs of threads and workers',
    section: 'Logs:',
    load: () => import('./log.js'),
  },
  {
    name: 'serve',
    summary: 'serve the API of this machine on 127.0.0.1',
    section: 'Node service:',
    load: () => import('./serve.js'),
  },
  {
    name: 'connect',
    summary: 'connect this machine to a gateway',
    section: 'Node service:',
    load: () => import('./connect.js'),
  },
  {
    name: 'run',
    summary: 'start a thread (thread run)',
    section: 'Shortcuts:',
    load: () => import('./run.js'),
  },
  {
    name: 'live',
    summary: 'watch a thread (thread live)',
    section: 'Shortcuts:',
    load: () => import('./live.js'),
  },
  {
    name: 'ps',
    summary: 'what is running (thread ps)',
    section: 'Shortcuts:',
    load: () => import('./ps.js'),
  },
];
