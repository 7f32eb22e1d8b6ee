import type { Label } from './candidates.js';

/** What a node must have, of what nodes have. One value per name. */
export function LabelField({
  labels,
  chosen,
  onChange,
}: {
  labels: Label[];
  chosen: Record<string, string>;
  onChange: (chosen: Record<string, string>) => void;
}) {
  // Chosen before its node went away, it can still be taken back.
  const gone = Object.entries(chosen)
    .map(([name, value]) => ({ name, value }))
    .filter((one) => !labels.some(({ name, value }) => name === one.name && value === one.value));
  if (labels.length + gone.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">Only nodes with</legend>
      <ul className="flex flex-wrap gap-1.5">
        {[...labels, ...gone].map(({ name, value }) => {
          const isChosen = Object.hasOwn(chosen, name) && chosen[name] === value;
          return (
            <li key={`${name}=${value}`} className="min-w-0">
              <button
                type="button"
                aria-pressed={isChosen}
                onClick={() => {
                  const { [name]: _before, ...others } = chosen;
                  onChange(isChosen ? others : { ...others, [name]: value });
                }}
                className="max-w-full truncate rounded border bg-sunken px-2 py-0.5 font-mono text-xs hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
              >
                {name}={value}
              </button>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
