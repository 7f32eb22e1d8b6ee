import type { WorkflowDetail } from '@uncaged/protocol/api';
import { Markdown } from '../markdown/index.js';
import { SchemaTable } from './schema-table.js';

type Role = WorkflowDetail['descriptor']['roles'][string];

/** A role: what it is for, what it answers, and, opened, what it is told. */
export function RoleCard({ name, role }: { name: string; role: Role }) {
  return (
    <article
      id={`role-${name}`}
      className="flex scroll-mt-4 flex-col gap-3 rounded-md border bg-panel p-3"
    >
      <header>
        <h3 className="font-semibold">{name}</h3>
        <p className="text-sm text-muted">{role.description || 'no description'}</p>
      </header>
      {role.prompt.trim() !== '' && (
        <details className="rounded border">
          <summary className="px-2 py-1 text-sm font-medium">Prompt</summary>
          <div className="border-t p-3">
            <Markdown text={role.prompt} />
          </div>
        </details>
      )}
      <SchemaTable schema={role.schema} caption={`What ${name} answers`} />
    </article>
  );
}
