import type { DiffSide, ThreadDiff } from '@uncaged/protocol/api';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { classNames, formatCount, formatDuration, formatUsd, ValueView } from '../../ui/index.js';
import { PlainText } from '../markdown/index.js';
import { tokensOf } from '../threads/index.js';
import { ContentDiff } from './content-diff.js';
import { type FieldDiff, metaDiff } from './meta-diff.js';

type ComparedStep = ThreadDiff['steps'][number];

/** One step of two threads; open where they differ. */
export function StepDiff({ node, step }: { node: string; step: ComparedStep }) {
  const { seq, a, b, isMetaEqual, isContentEqual } = step;
  const [isOpen, setIsOpen] = useState(false);
  const names = [a?.role, b?.role].filter((role) => role !== undefined);
  return (
    <section aria-label={`Step ${seq}`} className="rounded border">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1.5 text-left text-sm"
        >
          <ChevronRight
            className={classNames('size-4 shrink-0 text-muted', isOpen && 'rotate-90')}
            aria-hidden
          />
          <span className="text-muted">{seq}</span>
          <span className="font-medium">{[...new Set(names)].join(' / ')}</span>
          <span className="text-muted">{wordsOf(step)}</span>
        </button>
      </h3>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t p-3">
          {a !== null && b !== null ? (
            <>
              <Costs a={a} b={b} />
              <MetaTable fields={metaDiff(a.meta, b.meta)} />
              {isContentEqual ? (
                <p className="text-sm text-muted">
                  {isMetaEqual ? 'All of it is the same.' : 'The texts are the same.'}
                </p>
              ) : (
                <ContentDiff node={node} a={a} b={b} />
              )}
            </>
          ) : (
            <OneSide side={a ?? b} />
          )}
        </div>
      )}
    </section>
  );
}

function wordsOf({ a, b, isMetaEqual, isContentEqual }: ComparedStep): string {
  if (a === null) return 'only the other has it';
  if (b === null) return 'only this one has it';
  if (a.role !== b.role) return 'another role';
  if (isMetaEqual && isContentEqual) return 'same result';
  if (isMetaEqual) return 'another text, same result';
  return isContentEqual ? 'same text, another result' : 'another text, another result';
}

function Costs({ a, b }: { a: DiffSide; b: DiffSide }) {
  const words = (side: DiffSide) =>
    `${formatDuration(Date.parse(side.committedAt) - Date.parse(side.startedAt))}, ${formatCount(tokensOf(side.usage))} tokens, ${formatUsd(side.usd)}`;
  return (
    <p className="text-sm text-muted">
      {words(a)} → {words(b)}
    </p>
  );
}

/** Fields that differ; how many do not is said in a line. */
function MetaTable({ fields }: { fields: FieldDiff[] }) {
  const changed = fields.filter(({ isEqual }) => !isEqual);
  const same = fields.length - changed.length;
  if (fields.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      {changed.length > 0 && (
        <div className="overflow-x-auto">
          <table className="w-full text-sm">
            <thead>
              <tr className="text-left text-muted">
                <th scope="col" className="py-1 pr-3 font-normal">
                  Field
                </th>
                <th scope="col" className="py-1 pr-3 font-normal">
                  this one
                </th>
                <th scope="col" className="py-1 font-normal">
                  the other
                </th>
              </tr>
            </thead>
            <tbody>
              {changed.map(({ name, a, b }) => (
                <tr key={name} className="border-t align-top">
                  <th
                    scope="row"
                    className="py-1 pr-3 text-left font-normal wrap-anywhere text-muted"
                  >
                    {name}
                  </th>
                  <td className="py-1 pr-3">
                    <FieldValue value={a} />
                  </td>
                  <td className="py-1">
                    <FieldValue value={b} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {same > 0 && (
        <p className="text-xs text-muted">
          {same} {same === 1 ? 'field is' : 'fields are'} the same.
        </p>
      )}
    </div>
  );
}

function FieldValue({ value }: { value: unknown }) {
  return value === undefined ? (
    <span className="text-muted">not there</span>
  ) : (
    <ValueView value={value} depth={1} />
  );
}

function OneSide({ side }: { side: DiffSide | null }) {
  if (side === null) return null;
  return (
    <>
      {side.content !== null && <PlainText text={side.content} />}
      {Object.keys(side.meta).length > 0 && <ValueView value={side.meta} />}
    </>
  );
}
