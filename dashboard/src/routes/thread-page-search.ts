/** Tabs of a thread besides its steps, which need no name. */
export const OTHER_TABS = ['timeline', 'trace', 'log', 'lineage'] as const;
export type ThreadTab = 'steps' | (typeof OTHER_TABS)[number];

/** `step`: which is shown; `with`: the thread that the lineage compares this one with. */
export type ThreadPageSearch = {
  tab?: Exclude<ThreadTab, 'steps'> | undefined;
  step?: number | undefined;
  with?: string | undefined;
};

const THREAD_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** What an address says of a thread's page; what does not have the right form is left out. */
export function threadPageSearch(search: Record<string, unknown>): ThreadPageSearch {
  const tab = OTHER_TABS.find((one) => one === search.tab);
  const step = Number(search.step);
  const other = String(search.with ?? '');
  return {
    tab,
    step: Number.isInteger(step) && step > 0 ? step : undefined,
    with: tab === 'lineage' && THREAD_ID.test(other) ? other : undefined,
  };
}
