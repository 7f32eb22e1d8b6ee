import type { MachineJson } from '@uncaged/protocol/api';
import { Field, inputLook } from '../../ui/index.js';
import { candidatesOf } from './candidates.js';
import type { WorkflowChoice } from './use-workflow-choice.js';

/** Which workflow, of those that the nodes have. */
export function WorkflowField({
  choice,
  node,
  value,
  problem,
  onChange,
}: {
  choice: WorkflowChoice;
  /** Empty: any. */
  node: string;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}) {
  const missing =
    node === ''
      ? `None of the nodes that may take it has a workflow ${value}.`
      : `${node} has no workflow ${value}.`;
  return (
    <Field label="Workflow" required problem={choice.isMissing ? missing : problem}>
      {(tied) => (
        <select
          {...tied}
          className={inputLook}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{choice.isLoading ? 'Loading workflows…' : 'Choose one'}</option>
          {withChosen(choice.names, value).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Where it runs. */
export function NodeField({
  machines,
  value,
  onChange,
}: {
  machines: MachineJson[];
  /** Empty: any. */
  value: string;
  onChange: (value: string) => void;
}) {
  const online = machines.filter(({ state }) => state === 'online');
  const able = new Set(candidatesOf(machines, '', {}).map(({ name }) => name));
  const names = online.map(({ name }) => name);
  return (
    <Field label="Node" hint={online.length === 0 ? 'No node is connected.' : undefined}>
      {(tied) => (
        <select
          {...tied}
          className={inputLook}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">Any: the least busy</option>
          {withChosen(names, value).map((name) => (
            <option key={name} value={name}>
              {name}
              {names.includes(name) && !able.has(name) && ' (does not let threads be started)'}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function withChosen(names: string[], chosen: string): string[] {
  return chosen === '' || names.includes(chosen) ? names : [chosen, ...names];
}
