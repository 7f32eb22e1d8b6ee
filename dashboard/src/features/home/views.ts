import type { ThreadFilters } from '../../api/index.js';
import { NO_FILTERS } from '../threads/index.js';

export const RUNNING: ThreadFilters = { ...NO_FILTERS, status: ['running', 'queued'] };
export const STOPPED: ThreadFilters = {
  ...NO_FILTERS,
  status: ['waiting', 'paused', 'interrupted'],
};
export const COMPLETED: ThreadFilters = { ...NO_FILTERS, status: ['completed'] };
export const FAILED: ThreadFilters = { ...NO_FILTERS, status: ['failed'] };
