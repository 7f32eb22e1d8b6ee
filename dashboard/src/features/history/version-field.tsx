import type { ThreadDetail } from '@uncaged/protocol/api';
import { Field, formatTime, inputLook, shortId } from '../../ui/index.js';
import { useVersions, useWorkflows } from '../workflows/index.js';

/** Which definition a fork goes on with. */
export function VersionField({
  node,
  thread: { workflow, version },
  value,
  onChange,
}: {
  node: string;
  thread: ThreadDetail;
  /** A hash or a name; empty: the thread's own. */
  value: string;
  onChange: (value: string) => void;
}) {
  const versions = useVersions(node, workflow);
  const workflows = useWorkflows(node);
  const others = (versions.data ?? []).filter(({ hash }) => hash !== version);
  const names = (workflows.data ?? []).filter(({ name, problem }) => name !== workflow && !problem);
  const now = Date.now();
  return (
    <Field
      label="Workflow"
      hint="Another version must know the roles that come next; kept steps may be of roles it does not have."
    >
      {(tied) => (
        <select
          {...tied}
          className={inputLook}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">
            {workflow} {shortId(version)}: the same version
          </option>
          {others.length > 0 && (
            <optgroup label={`Other versions of ${workflow}`}>
              {others.map(({ hash, timestamp, current }) => (
                <option key={hash} value={hash}>
                  {shortId(hash)}
                  {current && ', the current one'}
                  {timestamp !== null && `, of ${formatTime(timestamp, now)}`}
                </option>
              ))}
            </optgroup>
          )}
          {names.length > 0 && (
            <optgroup label="Other workflows">
              {names.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      )}
    </Field>
  );
}
