import { useMemo, useState } from 'react';
import { SHOWN_DIFF_LINES } from '../../limits.js';
import { Button, classNames, Notice } from '../../ui/index.js';
import { type DiffBlock, lineDiff } from './line-diff.js';
import { textsBelowFields } from './texts-below-fields.js';

const LOOKS = {
  same: { mark: ' ', look: 'text-muted', word: '' },
  a: { mark: '−', look: 'bg-bad-soft text-bad', word: 'only here: ' },
  b: { mark: '+', look: 'bg-good-soft text-good', word: 'only there: ' },
} as const;

/** Two texts, line by line, without the fields that both begin with: these are compared as such. Loaded when it is needed. */
export function TextDiff({ a, b }: { a: string; b: string }) {
  const texts = useMemo(() => textsBelowFields(a, b), [a, b]);
  if (!texts.isBelowFields) return <LineDiff a={a} b={b} />;
  const isSame = texts.a === texts.b;
  return (
    <>
      <p className="text-xs text-muted">
        {isSame
          ? 'Below the fields that both begin with the texts are the same.'
          : 'Without the fields that both begin with; these are compared above.'}
      </p>
      {!isSame && <LineDiff a={texts.a} b={texts.b} />}
    </>
  );
}

function LineDiff({ a, b }: { a: string; b: string }) {
  const blocks = useMemo(() => lineDiff(a, b), [a, b]);
  const [isAll, setIsAll] = useState(false);
  if (blocks === null)
    return <Notice kind="info">The texts differ too much to say line by line how.</Notice>;
  const lines = blocks.flatMap(linesOf);
  const shown = isAll ? lines : lines.slice(0, SHOWN_DIFF_LINES);
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
        tabIndex={0}
        aria-label="The texts line by line"
        className="max-h-[32rem] overflow-auto rounded border bg-sunken py-1"
      >
        {shown.map(({ kind, text }, index) => (
          // Lines of a comparison have nothing but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: they do not change
          <DiffLine key={index} kind={kind} text={text} />
        ))}
      </section>
      {shown.length < lines.length && (
        <Button className="self-start" onClick={() => setIsAll(true)}>
          Show all {lines.length.toLocaleString('en-US')} lines
        </Button>
      )}
    </>
  );
}

type Line = { kind: 'same' | 'a' | 'b' | 'skipped'; text: string };

function linesOf(block: DiffBlock): Line[] {
  if (block.kind === 'skipped')
    return [{ kind: 'skipped', text: `${block.count.toLocaleString('en-US')} lines are the same` }];
  return block.lines.map((text) => ({ kind: block.kind, text }));
}

function DiffLine({ kind, text }: Line) {
  if (kind === 'skipped')
    return <p className="border-y px-3 py-0.5 text-center text-xs text-muted">{text}</p>;
  const { mark, look, word } = LOOKS[kind];
  return (
    <pre className={classNames('flex gap-2 px-3 text-xs leading-5', look)}>
      <span aria-hidden className="w-2 shrink-0 select-none">
        {mark}
      </span>
      {word && <span className="sr-only">{word}</span>}
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{text || ' '}</span>
    </pre>
  );
}
