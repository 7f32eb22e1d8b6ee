import { type Schema, schemaRows } from './schema-rows.js';

const STEP_REM = 1;

/** What a role answers, field by field. */
export function SchemaTable({ schema, caption }: { schema: Schema; caption: string }) {
  const rows = schemaRows(schema);
  if (rows.length === 0)
    return <p className="text-sm text-muted">Any object: this role has no schema.</p>;
  return (
    <div className="overflow-x-auto rounded border">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-sunken text-xs text-muted">
          <tr>
            <th scope="col" className="px-2 py-1 font-medium sm:w-[34%]">
              Field
            </th>
            <th scope="col" className="px-2 py-1 font-medium">
              Type
            </th>
            <th scope="col" className="hidden px-2 py-1 font-medium sm:table-cell">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map(({ depth, name, type, required, description }, index) => (
            // Rows of one schema keep their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat in the branches of a schema
            <tr key={index} className="align-top">
              <td className="px-2 py-1">
                <div
                  style={{ paddingLeft: `${depth * STEP_REM}rem` }}
                  className="text-xs leading-5"
                >
                  <span className="font-mono">{name}</span>
                  {required && <span className="text-muted"> needed</span>}
                </div>
              </td>
              <td className="px-2 py-1 wrap-anywhere">{type}</td>
              <td className="hidden px-2 py-1 text-muted sm:table-cell">{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
