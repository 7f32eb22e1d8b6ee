import { Search, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ThreadFilters } from '../../api/index.js';
import { SEARCH_PAUSE_MS } from '../../limits.js';
import { classNames, inputLook } from '../../ui/index.js';
import { chooseNode } from './choose-node.js';
import { THREAD_STATUSES } from './thread-search.js';

const chip = 'inline-flex h-7 items-center gap-1 rounded-full border px-2.5 text-sm';

type FilterBarProps = {
  filters: ThreadFilters;
  /** What there is to choose from. */
  workflows: string[];
  nodes: string[];
  onChange: (filters: ThreadFilters) => void;
};

export function FilterBar({ filters, workflows, nodes, onChange }: FilterBarProps) {
  const toggle = (status: ThreadFilters['status'][number]) => {
    const isOn = filters.status.includes(status);
    const chosen = isOn
      ? filters.status.filter((other) => other !== status)
      : [...filters.status, status];
    onChange({ ...filters, status: THREAD_STATUSES.filter((one) => chosen.includes(one)) });
  };
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <SearchBox value={filters.q} onChange={(q) => onChange({ ...filters, q })} />
        <Choice
          label="Workflow"
          value={filters.workflow}
          options={workflows}
          onChange={(workflow) => onChange({ ...filters, workflow })}
        />
        <Choice
          label="Node"
          value={filters.node}
          options={nodes}
          onChange={(node) => onChange(chooseNode(filters, node))}
        />
      </div>
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">Status</legend>
        {THREAD_STATUSES.map((status) => {
          const isOn = filters.status.includes(status);
          return (
            <button
              key={status}
              type="button"
              aria-pressed={isOn}
              onClick={() => toggle(status)}
              className={classNames(
                chip,
                isOn
                  ? 'border-accent bg-accent-soft font-medium text-accent'
                  : 'bg-panel text-muted hover:bg-hover',
              )}
            >
              {status}
              {isOn && <X className="size-3" aria-hidden />}
            </button>
          );
        })}
      </fieldset>
    </div>
  );
}

function SearchBox({ value, onChange }: { value: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <div className="relative w-full sm:w-auto sm:min-w-48 sm:flex-[3]">
      <Search className="absolute top-2 left-2.5 size-4 text-muted" aria-hidden />
      <input
        type="search"
        aria-label="Search threads"
        placeholder="Id, workflow, or how the prompt begins"
        className={classNames(inputLook, 'pl-8')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: string[];
  onChange: (value: string) => void;
}) {
  const all = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <select
      aria-label={label}
      className={classNames(
        inputLook,
        'min-w-0 flex-1 sm:w-auto sm:max-w-48',
        value !== '' && 'border-accent text-accent',
      )}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{label}: any</option>
      {all.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}
