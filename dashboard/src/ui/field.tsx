import { type ReactNode, useId } from 'react';

/** Look of everything that text is typed into. */
export const inputLook =
  'w-full rounded border border-line-strong bg-panel px-2.5 py-1.5 text-sm aria-invalid:border-bad';

/** A label, what stands under it, what it is for, and what is wrong with it. */
export function Field({
  label,
  hint,
  problem,
  required = false,
  children,
}: {
  label: string;
  hint?: ReactNode;
  problem?: string | null | undefined;
  required?: boolean;
  /** Gets what ties the input to its label and texts. */
  children: (tied: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const hasProblem = problem !== null && problem !== undefined;
  const described = [hint !== undefined && `${id}-hint`, hasProblem && `${id}-problem`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {required && <span className="text-muted"> (needed)</span>}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': hasProblem || undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {hasProblem && (
        <p id={`${id}-problem`} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
