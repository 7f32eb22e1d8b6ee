import type { StepJson } from '@uncaged/protocol/api';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, classNames, Field, inputLook } from '../../ui/index.js';
import { neighboursOf, stepsByRole } from './steps-by-role.js';

type StepChoiceProps = {
  /** Those to choose from, in the order in which they ran. */
  steps: readonly StepJson[];
  step: StepJson;
  onSelect: (seq: number) => void;
};

/** One of many steps: by role, or one after the other. */
export function StepChoice({ steps, step, onSelect }: StepChoiceProps) {
  const { before, after } = neighboursOf(steps, step.seq);
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label="Step">
          {(tied) => (
            <select
              {...tied}
              className={classNames(inputLook, 'h-8')}
              value={step.seq}
              onChange={(event) => onSelect(Number(event.target.value))}
            >
              {stepsByRole(steps).map(({ role, steps: ofRole }) => (
                <optgroup
                  key={role}
                  label={ofRole.length === 1 ? role : `${role} (${ofRole.length} steps)`}
                >
                  {ofRole.map(({ seq, agent }) => (
                    <option key={seq} value={seq}>
                      {seq} {role}, by {agent}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Neighbour step={before} word="Previous" none="This is the first." onSelect={onSelect}>
        <ChevronLeft className="size-4 shrink-0" aria-hidden />
      </Neighbour>
      <Neighbour step={after} word="Next" none="This is the last." onSelect={onSelect}>
        <ChevronRight className="size-4 shrink-0" aria-hidden />
      </Neighbour>
    </div>
  );
}

function Neighbour({
  step,
  word,
  none,
  onSelect,
  children,
}: {
  step: StepJson | null;
  word: string;
  /** Why there is nothing to go to. */
  none: string;
  onSelect: (seq: number) => void;
  children: ReactNode;
}) {
  return (
    <Button
      aria-label={step === null ? `${word} step` : `${word} step: ${step.seq} ${step.role}`}
      title={step === null ? undefined : `${word}: ${step.seq} ${step.role}`}
      refused={step === null ? none : null}
      onClick={() => step !== null && onSelect(step.seq)}
    >
      {children}
    </Button>
  );
}
