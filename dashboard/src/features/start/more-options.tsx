import type { StartThread } from '@uncaged/protocol/api';
import { Field, inputLook } from '../../ui/index.js';

/** As typed; empty = not given. */
export type Options = {
  /** Agent by role. */
  agents: Record<string, string>;
  maxSteps: string;
  maxVisits: string;
  tokens: string;
  usd: string;
};

export const NO_OPTIONS: Options = { agents: {}, maxSteps: '', maxVisits: '', tokens: '', usd: '' };

export function optionsOf({
  agents,
  maxSteps,
  maxVisits,
  tokens,
  usd,
}: Options): Pick<StartThread, 'agents' | 'maxSteps' | 'maxVisits' | 'budget'> {
  const budget = { tokens: above(tokens), usd: above(usd) };
  return {
    agents: Object.fromEntries(Object.entries(agents).filter(([, agent]) => agent.trim() !== '')),
    maxSteps: above(maxSteps),
    maxVisits: above(maxVisits),
    budget: budget.tokens === null && budget.usd === null ? null : budget,
  };
}

function above(text: string): number | null {
  const value = Number(text);
  return text.trim() !== '' && value > 0 ? value : null;
}

type MoreOptionsProps = {
  options: Options;
  roles: string[];
  onChange: (options: Options) => void;
  /** Inputs typed as JSON, where no form can be made. */
  json: { text: string; problem: string | undefined; onChange: (text: string) => void } | null;
};

/** What most starts leave as it is. */
export function MoreOptions({ options, roles, onChange, json }: MoreOptionsProps) {
  const set = (change: Partial<Options>) => onChange({ ...options, ...change });
  return (
    <details className="rounded border" open={json?.problem !== undefined || undefined}>
      <summary className="px-3 py-2 text-sm font-medium">Agents, limits</summary>
      <div className="flex flex-col gap-4 border-t p-3">
        {json !== null && (
          <Field
            label="Inputs"
            hint="A JSON object, if the workflow takes any."
            problem={json.problem}
          >
            {(tied) => (
              <textarea
                {...tied}
                rows={3}
                className={`${inputLook} font-mono`}
                spellCheck={false}
                placeholder="{}"
                value={json.text}
                onChange={(event) => json.onChange(event.target.value)}
              />
            )}
          </Field>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Limit
            label="Steps at most"
            value={options.maxSteps}
            onChange={(maxSteps) => set({ maxSteps })}
          />
          <Limit
            label="Visits of a role at most"
            value={options.maxVisits}
            onChange={(maxVisits) => set({ maxVisits })}
          />
          <Limit
            label="Tokens at most"
            value={options.tokens}
            onChange={(tokens) => set({ tokens })}
          />
          <Limit label="Cost at most, $" value={options.usd} onChange={(usd) => set({ usd })} />
        </div>
        {roles.length > 0 && (
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1 text-sm font-medium">Agents</legend>
            <p className="text-xs text-muted">
              By role; empty: what the workflow and the node say.
            </p>
            <div className="grid gap-3 sm:grid-cols-2">
              {roles.map((role) => (
                <Field key={role} label={role}>
                  {(tied) => (
                    <input
                      {...tied}
                      className={inputLook}
                      spellCheck={false}
                      value={options.agents[role] ?? ''}
                      onChange={(event) =>
                        set({ agents: { ...options.agents, [role]: event.target.value } })
                      }
                    />
                  )}
                </Field>
              ))}
            </div>
          </fieldset>
        )}
      </div>
    </details>
  );
}

function Limit({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(tied) => (
        <input
          {...tied}
          type="number"
          min="0"
          step="any"
          className={inputLook}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
