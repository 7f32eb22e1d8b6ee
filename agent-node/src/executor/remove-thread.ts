import { rmSync } from 'node:fs';
import type { ThreadId } from '@uncaged/protocol/ids';
import type { Store } from '../store/index.js';
import { getThread } from './control.js';
import { threadLogFile } from './thread-log.js';

/** Forgets a thread and its log; its nodes stay until they are collected. Throws thread-not-found, thread-state. */
export function removeThread(store: Store, id: ThreadId): void {
  const { version } = getThread(store, id);
  store.write('full', () => store.threads.remove(id));
  rmSync(threadLogFile(store.root, version, id), { force: true });
}
