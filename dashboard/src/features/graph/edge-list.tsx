import { ArrowRight } from 'lucide-react';
import { Fragment } from 'react';
import { classNames } from '../../ui/index.js';
import { takingOf } from './edge-words.js';
import type { GraphProps } from './graph-props.js';
import { conditionWord, START, wordOf } from './sentinels.js';

const TAKEN = { last: 'font-medium text-accent', before: 'font-medium text-good', not: '' };

/** The graph in words: from each role, under which condition control goes where. */
export function EdgeList({ edges, lit, taken, selected, onSelect }: GraphProps) {
  if (edges.length === 0)
    return (
      <p className="text-sm text-muted">
        The workflow decides in code where control goes; there is no graph to show.
      </p>
    );
  const sources = [...new Set(edges.map(({ from }) => from))];
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
      {sources.map((from) => (
        <Fragment key={from}>
          <dt>
            <RoleName role={from} lit={lit} selected={selected} onSelect={onSelect} />
          </dt>
          <dd>
            <ul>
              {edges
                .filter((edge) => edge.from === from)
                .map(({ to, condition, conditionDescription }) => (
                  <li
                    key={`${to} ${condition}`}
                    className={classNames(
                      'flex flex-wrap items-center gap-x-2',
                      TAKEN[takingOf({ from, to, condition }, taken) ?? 'not'],
                    )}
                  >
                    <ArrowRight className="size-3.5 shrink-0 text-muted" aria-hidden />
                    {wordOf(to)}
                    <span className="text-xs text-muted">
                      {conditionWord(condition)}
                      {conditionDescription !== null && ` (${conditionDescription})`}
                    </span>
                  </li>
                ))}
            </ul>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function RoleName({
  role,
  lit,
  selected,
  onSelect,
}: { role: string } & Pick<GraphProps, 'lit' | 'selected' | 'onSelect'>) {
  const visits = lit?.[role]?.visits ?? 0;
  const text = (
    <>
      {wordOf(role)}
      {visits > 1 && <span className="text-muted"> ×{visits}</span>}
    </>
  );
  // In a thread only what was visited leads anywhere.
  const isUnvisited = lit !== undefined && lit[role] === undefined;
  if (onSelect === undefined || role === START || isUnvisited)
    return <span className="font-medium">{text}</span>;
  return (
    <button
      type="button"
      onClick={() => onSelect(role)}
      className={classNames(
        'text-left font-medium hover:underline',
        selected === role && 'text-accent',
        lit?.[role]?.state === 'running' && 'text-accent',
      )}
    >
      {text}
    </button>
  );
}
