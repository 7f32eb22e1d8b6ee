import { useQuery } from '@tanstack/react-query';
import type { Trace } from '@uncaged/protocol/api';
import { useState } from 'react';
import { getText, keys } from '../../api/index.js';
import { classNames, cutText, formatBytes, Loaded, ShowAll } from '../../ui/index.js';
import { PlainText } from '../markdown/index.js';

type StoredText = Trace['turns'][number]['input'];

/** Of a text so much stands there at first. */
const AT_FIRST = { characters: 1_200, lines: 10 };

/** A text of a trace, as it was written; long ones begin short, and are fetched as a whole when somebody wants it. */
export function TraceText({
  node,
  name,
  text,
  quiet = false,
}: {
  node: string;
  name: string;
  text: StoredText;
  quiet?: boolean;
}) {
  const [isWhole, setIsWhole] = useState(false);
  if (text === null) return null;
  const given = text.text;
  const isBeginning = given !== null && new TextEncoder().encode(given).length < (text.size ?? 0);
  return (
    <div className={classNames('min-w-0', quiet && 'text-muted')}>
      <h4 className="text-xs text-muted">{name}</h4>
      {given === null && <p className="text-sm text-warn">This text is missing in the store.</p>}
      {given === '' && <p className="text-sm text-muted">Nothing.</p>}
      {given !== null &&
        given !== '' &&
        (isWhole ? (
          <WholeText node={node} hash={text.hash} />
        ) : (
          <ShowAll
            all={isBeginning ? 'its first 4 kB' : 'all of it'}
            when={cutText(given, AT_FIRST) !== given}
          >
            {(isAll) => <PlainText text={isAll ? given : cutText(given, AT_FIRST)} />}
          </ShowAll>
        ))}
      {isBeginning && !isWhole && (
        <button
          type="button"
          onClick={() => setIsWhole(true)}
          className="text-xs text-accent hover:underline"
        >
          Load all {formatBytes(text.size ?? 0)}
        </button>
      )}
    </div>
  );
}

function WholeText({ node, hash }: { node: string; hash: string }) {
  const query = useQuery({
    queryKey: keys.text(node, hash),
    queryFn: ({ signal }) => getText(node, hash, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} what="the text">
      {(whole) =>
        whole === null ? (
          <p className="text-sm text-warn">What is stored there is no text.</p>
        ) : (
          <section
            // The keyboard scrolls it.
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
            tabIndex={0}
            aria-label="The whole text"
            className="max-h-[60vh] overflow-auto rounded border bg-sunken p-2"
          >
            <PlainText text={whole} />
          </section>
        )
      }
    </Loaded>
  );
}
