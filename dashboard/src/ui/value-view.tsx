import { classNames } from './class-names.js';

/** Values below this depth are shown as JSON: a table in a table in a table is not read by anybody. */
const TABLES_DEEP = 3;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON value as people read it: objects as tables, lists as lists, texts with their line breaks, the rest in its type's look. */
export function ValueView({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (value === null || value === undefined) return <span className="text-muted">null</span>;
  if (typeof value === 'string')
    return value === '' ? (
      <span className="text-muted">empty text</span>
    ) : (
      <span className="wrap-anywhere whitespace-pre-wrap">{value}</span>
    );
  if (typeof value === 'number' || typeof value === 'boolean')
    return <code className="text-accent">{String(value)}</code>;
  if (depth >= TABLES_DEEP)
    return (
      <code className="wrap-anywhere whitespace-pre-wrap">{JSON.stringify(value, null, 1)}</code>
    );
  if (Array.isArray(value)) return <ListView items={value} depth={depth} />;
  if (isRecord(value)) return <RecordView record={value} depth={depth} />;
  return <code>{String(value)}</code>;
}

function ListView({ items, depth }: { items: unknown[]; depth: number }) {
  if (items.length === 0) return <span className="text-muted">none</span>;
  return (
    <ol className="flex flex-col gap-0.5">
      {items.map((item, index) => (
        // Items of a list have nothing but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
        <li key={index} className="flex gap-2">
          <span className="w-5 shrink-0 text-right text-muted" aria-hidden>
            {index + 1}
          </span>
          <div className="min-w-0">
            <ValueView value={item} depth={depth + 1} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function RecordView({ record, depth }: { record: Record<string, unknown>; depth: number }) {
  const entries = Object.entries(record);
  if (entries.length === 0) return <span className="text-muted">no fields</span>;
  return (
    <dl className={classNames('grid text-sm', depth > 0 && 'rounded border')}>
      {entries.map(([name, value]) => (
        <div
          key={name}
          className="grid grid-cols-[minmax(5rem,10rem)_minmax(0,1fr)] gap-3 border-b px-2 py-1 last:border-b-0"
        >
          <dt className="wrap-anywhere text-muted">{name}</dt>
          <dd className="min-w-0">
            <ValueView value={value} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
