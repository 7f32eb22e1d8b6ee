import type { ThreadDetail } from '@uncaged/protocol/api';
import { type FormEvent, useState } from 'react';
import type { RaisedLimits } from '../../api/index.js';
import { Button, Field, inputLook } from '../../ui/index.js';
import { tokensOf } from '../threads/index.js';

/** Whether it stopped at a limit that has to be raised before it can go on. */
export function needsMore({ status, reason }: Pick<ThreadDetail, 'status' | 'reason'>): boolean {
  return (
    status === 'paused' &&
    (reason === 'max-steps' || reason === 'max-visits' || reason === 'budget')
  );
}

/** How much more a thread is offered when it has used up what it had. */
const STEPS_MORE = 10;
const VISITS_MORE = 3;

type Budget = NonNullable<RaisedLimits['budget']>;

/** Raises the limit that a thread stopped at. */
export function RaiseForm({
  thread,
  onRaise,
}: {
  thread: ThreadDetail;
  onRaise: (raised: RaisedLimits) => void;
}) {
  const { reason, options, stepCount, usage, usd } = thread;
  const [steps, setSteps] = useState(String(stepCount + STEPS_MORE));
  const [visits, setVisits] = useState(String((options.maxVisits ?? 0) + VISITS_MORE));
  const [tokens, setTokens] = useState(String(2 * (options.budget?.tokens ?? tokensOf(usage))));
  const [money, setMoney] = useState(String(2 * (options.budget?.usd ?? Math.ceil(usd))));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === 'max-steps') onRaise({ maxSteps: Number(steps) });
    else if (reason === 'max-visits') onRaise({ maxVisits: Number(visits) });
    else onRaise({ budget: budgetOf(tokens, money) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 p-4">
      {reason === 'max-steps' && (
        <NumberField
          label="Steps in all"
          value={steps}
          onChange={setSteps}
          hint={`It has made ${stepCount}.`}
        />
      )}
      {reason === 'max-visits' && (
        <NumberField
          label="Visits of a role"
          value={visits}
          onChange={setVisits}
          hint="Of each role, in all."
        />
      )}
      {reason === 'budget' && (
        <>
          <NumberField
            label="Tokens in all"
            value={tokens}
            onChange={setTokens}
            hint={`It has used ${tokensOf(usage).toLocaleString('en-US')}. 0: no limit of tokens.`}
          />
          <NumberField
            label="Cost in all, $"
            value={money}
            onChange={setMoney}
            step="0.01"
            hint={`It has cost $${usd.toFixed(2)}. 0: no limit of cost.`}
          />
        </>
      )}
      <Button type="submit" look="primary" className="self-end">
        Raise and resume
      </Button>
    </form>
  );
}

function budgetOf(tokens: string, money: string): Budget {
  const above = (text: string) => (Number(text) > 0 ? Number(text) : null);
  return { tokens: above(tokens), usd: above(money) };
}

function NumberField({
  label,
  value,
  onChange,
  hint,
  step = '1',
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint: string;
  step?: string;
}) {
  return (
    <Field label={label} hint={hint}>
      {(tied) => (
        <input
          {...tied}
          type="number"
          min="0"
          step={step}
          required
          className={inputLook}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
