import type { MachineJson } from '@uncaged/protocol/api';
import { TriangleAlert } from 'lucide-react';

/** `key=value` pairs that nodes are chosen by. */
export function Labels({ labels }: { labels: MachineJson['labels'] }) {
  const all = Object.entries(labels);
  if (all.length === 0) return <span className="text-muted">no labels</span>;
  return (
    <ul className="flex flex-wrap gap-1">
      {all.map(([name, value]) => (
        <li key={name} className="rounded border bg-sunken px-1.5 font-mono text-xs">
          {name}={value}
        </li>
      ))}
    </ul>
  );
}

export function Version({ version, usual }: { version: string; usual: string | null }) {
  const differs = usual !== null && version !== usual;
  return (
    <span className="inline-flex items-center gap-1">
      {version}
      {differs && (
        <span
          className="inline-flex items-center gap-1 text-warn"
          title={`Most nodes have ${usual}.`}
        >
          <TriangleAlert className="size-3.5" aria-hidden />
          differs
        </span>
      )}
    </span>
  );
}
