import { useQuery } from '@tanstack/react-query';
import type { StepJson } from '@uncaged/protocol/api';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { type Content, contentPath, getContent, getContentTail, keys } from '../../api/index.js';
import { CONTENT_TAIL_BYTES, CONTENT_WHOLE_BYTES, MARKDOWN_CHARACTERS } from '../../limits.js';
import { Button, buttonLook, formatBytes, Loaded } from '../../ui/index.js';
import { Markdown, PlainText } from '../markdown/index.js';
import { LongText } from './long-text.js';
import { withoutFrontmatter, withoutInnerFrontmatter } from './without-frontmatter.js';

/** The text of a step; a long one opens at its end. */
export function StepContent({ node, step }: { node: string; step: StepJson }) {
  const { content, contentSize, contentProblem, hash } = step;
  // Nodes of an older version do not say it.
  if (contentProblem !== null && contentProblem !== undefined)
    return <p className="text-sm text-bad">{contentProblem.message}</p>;
  if (contentSize === null || contentSize === 0 || content === null)
    return <p className="text-sm text-muted">No text.</p>;
  if (hash === null || new TextEncoder().encode(content).length >= contentSize)
    return <ShownText step={step} text={content} />;
  return <LongContent node={node} hash={hash} size={contentSize} step={step} />;
}

function LongContent({
  node,
  hash,
  size,
  step,
}: {
  node: string;
  hash: string;
  size: number;
  step: StepJson;
}) {
  const [part, setPart] = useState<'tail' | 'whole'>('tail');
  const query = useQuery({
    queryKey: keys.content(node, hash, part),
    queryFn: ({ signal }) =>
      part === 'whole'
        ? getContent(node, hash, signal)
        : getContentTail(node, hash, CONTENT_TAIL_BYTES, signal),
    // A stored text never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} what={`${formatBytes(size)} of text`}>
      {(loaded) => (
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
            <span>{describe(loaded)}</span>
            {loaded.from > 0 && size <= CONTENT_WHOLE_BYTES && (
              <Button onClick={() => setPart('whole')}>Load all</Button>
            )}
            <a
              href={contentPath(node, hash)}
              download={`${step.role}-${hash}.txt`}
              className={buttonLook()}
            >
              <Download className="size-4" aria-hidden />
              Download
            </a>
          </div>
          {loaded.from > 0 || loaded.text.length > MARKDOWN_CHARACTERS ? (
            <LongText text={loaded.text} />
          ) : (
            <ShownText step={step} text={loaded.text} />
          )}
        </div>
      )}
    </Loaded>
  );
}

/** As Markdown, or as it was written: logs lose their lines in Markdown. */
function ShownText({ step, text }: { step: StepJson; text: string }) {
  const [asWritten, setAsWritten] = useState(false);
  const rest = step.childThread === null ? withoutFrontmatter : withoutInnerFrontmatter;
  return (
    <div className="flow-root">
      <button
        type="button"
        aria-pressed={asWritten}
        onClick={() => setAsWritten(!asWritten)}
        className="float-right ml-3 rounded border px-2 text-xs text-muted hover:text-text aria-pressed:border-accent aria-pressed:text-accent"
      >
        As written
      </button>
      {asWritten ? <PlainText text={text} /> : <Markdown text={rest(text)} />}
    </div>
  );
}

function describe({ from, size }: Content): string {
  return from === 0
    ? `${formatBytes(size)}, all of it`
    : `The last ${formatBytes(size - from)} of ${formatBytes(size)}`;
}
