import { useQuery } from '@tanstack/react-query';
import type { DiffSide } from '@uncaged/protocol/api';
import { lazy, Suspense, useState } from 'react';
import { getContent, keys } from '../../api/index.js';
import { DIFF_TEXT_BYTES } from '../../limits.js';
import { Button, formatBytes, Loaded, Loading, MissingPart } from '../../ui/index.js';

const TextDiff = lazy(() =>
  import('./text-diff.js').then(
    (module) => ({ default: module.TextDiff }),
    () => ({ default: MissingPart }),
  ),
);

/** What two steps said. Of long texts the beginnings are compared until somebody wants all of it. */
export function ContentDiff({ node, a, b }: { node: string; a: DiffSide; b: DiffSide }) {
  const [isWhole, setIsWhole] = useState(false);
  const cut = [a, b].some(isCut);
  const size = Math.max(a.contentSize ?? 0, b.contentSize ?? 0);
  return (
    <div className="flex flex-col gap-2">
      {cut && !isWhole && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          The beginnings of texts of {formatBytes(a.contentSize ?? 0)} and{' '}
          {formatBytes(b.contentSize ?? 0)}.
          {size <= DIFF_TEXT_BYTES ? (
            <Button onClick={() => setIsWhole(true)}>Compare all of it</Button>
          ) : (
            'They are too long to be compared here as a whole.'
          )}
        </p>
      )}
      <Suspense fallback={<Loading what="the comparison" />}>
        {cut && isWhole ? (
          <WholeDiff node={node} a={a} b={b} />
        ) : (
          <TextDiff a={a.content ?? ''} b={b.content ?? ''} />
        )}
      </Suspense>
    </div>
  );
}

function WholeDiff({ node, a, b }: { node: string; a: DiffSide; b: DiffSide }) {
  const ofA = useWhole(node, a);
  const ofB = useWhole(node, b);
  return (
    <Loaded query={ofA} what="the one text">
      {(textA) => (
        <Loaded query={ofB} what="the other text">
          {(textB) => <TextDiff a={textA.text} b={textB.text} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function useWhole(node: string, { hash }: DiffSide) {
  return useQuery({
    queryKey: keys.content(node, hash, 'whole'),
    queryFn: ({ signal }) => getContent(node, hash, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function isCut({ content, contentSize }: DiffSide): boolean {
  return content !== null && new TextEncoder().encode(content).length < (contentSize ?? 0);
}
