import type { EventJson, LiveJson } from '@uncaged/protocol/api';
import type { EventRow, LiveRow } from '../store/index.js';
import { toTime } from './time.js';

export function eventJson({ seq, type, thread, at, data }: EventRow): EventJson {
  return { seq, type, thread, at: toTime(at), data };
}

export function liveJson({ thread, seq, n, kind, text }: LiveRow): LiveJson {
  return { thread, step: seq, n, kind, text };
}
