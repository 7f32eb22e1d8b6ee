import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { GitFork } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { type Fork, failureText, forkThread, keys, newRequestKey } from '../../api/index.js';
import { Button, Field, inputLook, Loaded, Notice } from '../../ui/index.js';
import { useMachine } from '../nodes/index.js';
import { useRefusal } from '../session/index.js';
import { MoreOptions, NO_OPTIONS, optionsOf } from '../start/index.js';
import { useSteps } from '../thread/index.js';
import { useWorkflow } from '../workflows/index.js';
import { committedSteps, forkWords, nextRole, usualKeep } from './fork-plan.js';
import { isNewWork, placeRefusal } from './place-refusal.js';
import { VersionField } from './version-field.js';

type ForkFormProps = {
  node: string;
  thread: ThreadDetail;
  keep: number | null;
  onForked: (id: string) => void;
};

/** From where, with what: and off the new thread goes. */
export function ForkForm(props: ForkFormProps) {
  return (
    <Loaded query={useSteps(props.node, props.thread.threadId)} what="the steps">
      {(steps) => <LoadedForm {...props} steps={steps} />}
    </Loaded>
  );
}

function LoadedForm({
  node,
  thread,
  steps,
  onForked,
  ...props
}: ForkFormProps & { steps: StepJson[] }) {
  const kept = committedSteps(steps);
  const [keep, setKeep] = useState(
    Math.min(props.keep ?? usualKeep(steps, thread.status === 'completed'), kept.length),
  );
  const [prompt, setPrompt] = useState('');
  const [version, setVersion] = useState('');
  const [options, setOptions] = useState(NO_OPTIONS);
  const refused = useRefusal(node, 'run');
  const workflow = useWorkflow(node, thread.workflow);
  const fork = useFork(node, thread.threadId, onForked);
  const machine = useMachine(node);
  const outside = placeRefusal(thread, node, machine.data?.node?.workspaceRoots ?? null);
  const isAnew = isNewWork(thread, { prompt, version, agents: options.agents });
  const next = nextRole(steps, keep);
  const endsHere =
    keep === kept.length && thread.status === 'completed' && version === ''
      ? `Nothing comes after step ${keep}: keep fewer, or go on with another version.`
      : null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fork.isPending || (outside !== null && isAnew)) return;
    fork.mutate({
      fromStep: keep,
      prompt: prompt.trim() === '' ? null : prompt,
      workflow: version === '' ? null : version,
      ...optionsOf(options),
    });
  };

  return (
    <form onSubmit={submit} noValidate className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-4 overflow-y-auto p-4">
        <Field
          label="From"
          hint="Steps up to there are taken over as they are; they do not run again."
        >
          {(tied) => (
            <select
              {...tied}
              className={inputLook}
              value={keep}
              onChange={(event) => setKeep(Number(event.target.value))}
            >
              <option value={0}>the beginning</option>
              {kept.map(({ seq, role, outcome }) => (
                <option key={seq} value={seq}>
                  after step {seq}: {role}
                  {outcome !== null && ` → ${outcome}`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Notice kind={endsHere === null ? 'info' : 'warning'}>
          {endsHere ?? (
            <>
              <span className="font-medium">{forkWords(keep, next, version !== '')}</span> Files in
              the workspace are not taken back to how they were then
              {thread.imported && '; as this is a copy from a pack, the fork gets a new directory'}.
            </>
          )}
        </Notice>
        <Field
          label={next === null ? 'Prompt' : `Prompt for ${next}`}
          hint="Instead of the task that the workflow gives it, this once. Empty: as the workflow says."
        >
          {(tied) => (
            <textarea
              {...tied}
              rows={5}
              className={inputLook}
              value={prompt}
              onChange={(event) => setPrompt(event.target.value)}
            />
          )}
        </Field>
        <VersionField node={node} thread={thread} value={version} onChange={setVersion} />
        <MoreOptions
          options={options}
          roles={Object.keys(workflow.data?.descriptor.roles ?? {})}
          onChange={setOptions}
          json={null}
        />
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-3 border-t px-4 py-3">
        {outside !== null && (
          <Notice kind={isAnew ? 'warning' : 'info'} className="w-full wrap-anywhere">
            {outside}
          </Notice>
        )}
        {fork.isError && (
          <Notice kind="error" className="w-full">
            {failureText(fork.error)}
          </Notice>
        )}
        <Button
          type="submit"
          look="primary"
          icon={<GitFork className="size-4" aria-hidden />}
          refused={
            refused ??
            endsHere ??
            (isAnew ? outside : null) ??
            (fork.isPending ? 'It is being made.' : null)
          }
        >
          {fork.isPending ? 'Forking…' : 'Fork'}
        </Button>
      </footer>
    </form>
  );
}

/** Forks once, however often it is pressed and whatever answer was lost: the same fork has the same key. */
function useFork(node: string, id: string, onForked: (id: string) => void) {
  const queries = useQueryClient();
  const last = useRef({ fork: '', key: '' });
  return useMutation({
    mutationFn: (fork: Fork) => {
      const text = JSON.stringify(fork);
      if (last.current.fork !== text) last.current = { fork: text, key: newRequestKey() };
      return forkThread(node, id, fork, last.current.key);
    },
    onSuccess: ({ threadId }) => {
      void queries.invalidateQueries({ queryKey: keys.lists });
      void queries.invalidateQueries({ queryKey: keys.lineages(node) });
      onForked(threadId);
    },
  });
}
