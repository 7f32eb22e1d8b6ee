import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { createRefetch } from './refetch.js';

/** A query that somebody looks at, with answers that come when they are given. */
function watched() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const asked: { answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const seen: unknown[] = [];
  const observer = new QueryObserver<string>(queries, {
    queryKey: ['a'],
    queryFn: () =>
      new Promise<string>((answer, fail) => {
        asked.push({ answer, fail });
      }),
  });
  observer.subscribe(({ data }) => seen.push(data));
  return { refetch: createRefetch(queries), asked, seen };
}

it('asks again for what was answered', async () => {
  const { refetch, asked, seen } = watched();
  asked[0]!.answer('old');
  await vi.waitFor(() => expect(seen.at(-1)).toBe('old'));
  refetch({ queryKey: ['a'] });
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[1]!.answer('new');
  await vi.waitFor(() => expect(seen.at(-1)).toBe('new'));
});

it('asks again once a first answer is there that may have been made before, or has failed', async () => {
  for (const end of ['answer', 'fail'] as const) {
    const { refetch, asked, seen } = watched();
    refetch({ queryKey: ['a'] });
    refetch({});
    expect(asked).toHaveLength(1);
    if (end === 'answer') asked[0]!.answer('old');
    else asked[0]!.fail(new Error('away'));
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1]!.answer('new');
    await vi.waitFor(() => expect(seen.at(-1)).toBe('new'));
    expect(asked).toHaveLength(2);
  }
});
