import { classNames } from './class-names.js';
import { cutText } from './cut-text.js';
import { flatTable } from './flat-table.js';
import { ShowAll } from './show-all.js';

/** Values below this depth are shown as JSON: a table in a table in a table is not read by anybody. */
const TABLES_DEEP = 3;
/** Of a list or an object so many stand there at first; one more is shown rather than a button for it. */
const ITEMS_AT_FIRST = 5;
const FIELDS_AT_FIRST = 10;
/** As wide as what is in it, but so wide that a short value stands beside its name. */
const INNER_RECORD = 'w-fit max-w-full min-w-[min(16rem,100%)] rounded border';
/** A text in a table is cut to so much at first. */
const TEXT_AT_FIRST = { characters: 480, lines: 6 };

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A JSON value as people read it: objects as tables, lists as lists, texts with their line breaks, the rest in its type's
 * look. What is long begins short.
 */
export function ValueView({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (value === null || value === undefined) return <span className="text-muted">null</span>;
  if (typeof value === 'string') return <TextView text={value} />;
  if (typeof value === 'number' || typeof value === 'boolean')
    return <code className="text-accent">{String(value)}</code>;
  if (Array.isArray(value) && value.length === 0) return <span className="text-muted">none</span>;
  if (depth >= TABLES_DEEP) return <TextView text={JSON.stringify(value, null, 1)} asCode />;
  if (Array.isArray(value)) return <ListView items={value} depth={depth} />;
  if (isRecord(value)) return <RecordView record={value} depth={depth} />;
  return <code>{String(value)}</code>;
}

function TextView({ text, asCode = false }: { text: string; asCode?: boolean }) {
  if (text === '') return <span className="text-muted">empty text</span>;
  const look = classNames('wrap-anywhere whitespace-pre-wrap', asCode && 'font-mono text-xs');
  const cut = cutText(text, TEXT_AT_FIRST);
  if (cut === text) return <span className={look}>{text}</span>;
  return (
    <ShowAll all={`all ${text.length.toLocaleString('en-US')} characters`}>
      {(isAll) => <span className={look}>{isAll ? text : `${cut}…`}</span>}
    </ShowAll>
  );
}

function ListView({ items, depth }: { items: unknown[]; depth: number }) {
  const table = flatTable(items);
  return (
    <ShowAll all={`all ${items.length}`} when={items.length > ITEMS_AT_FIRST + 1}>
      {(isAll) => {
        const shown = isAll ? items : items.slice(0, ITEMS_AT_FIRST);
        return table === null ? (
          <List items={shown} depth={depth} />
        ) : (
          <Table columns={table} rows={shown as Record<string, unknown>[]} />
        );
      }}
    </ShowAll>
  );
}

function List({ items, depth }: { items: unknown[]; depth: number }) {
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

/** A list of alike, small objects: a line each. */
function Table({ columns, rows }: { columns: string[]; rows: Record<string, unknown>[] }) {
  return (
    <div className="overflow-x-auto">
      <table className="text-sm">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} className="py-0.5 pr-4 text-left font-normal text-muted">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // As above.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
            <tr key={index} className="border-t align-top">
              {columns.map((column) => (
                <td key={column} className="py-0.5 pr-4">
                  {Object.hasOwn(row, column) && (
                    <ValueView value={row[column]} depth={TABLES_DEEP} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RecordView({ record, depth }: { record: Record<string, unknown>; depth: number }) {
  const entries = Object.entries(record);
  if (entries.length === 0) return <span className="text-muted">none</span>;
  const isInner = depth > 0;
  return (
    <ShowAll
      all={`all ${entries.length} fields`}
      when={entries.length > FIELDS_AT_FIRST + 1}
      className={isInner ? '' : 'px-2 py-1'}
    >
      {(isAll) => (
        <dl className={classNames('text-sm', isInner && INNER_RECORD)}>
          {(isAll ? entries : entries.slice(0, FIELDS_AT_FIRST)).map(([name, value]) => (
            <div
              key={name}
              // Where there is no room beside its name, a value stands below it.
              className={classNames(
                'flex flex-wrap gap-x-3 border-b px-2 last:border-b-0',
                isInner ? 'py-px' : 'py-1',
              )}
            >
              <dt
                className={classNames(
                  'shrink-0 wrap-anywhere text-muted',
                  isInner ? 'w-24' : 'w-24 sm:w-40',
                )}
              >
                {name}
              </dt>
              <dd className="min-w-[min(8rem,100%)] flex-1">
                <ValueView value={value} depth={depth + 1} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </ShowAll>
  );
}
