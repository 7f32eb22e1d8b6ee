import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { WorkflowDetail } from '@uncaged/protocol/api';
import { Play } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { failureText, keys, type Start, startThread } from '../../api/index.js';
import { Button, Field, inputLook, Notice } from '../../ui/index.js';
import { useMachine, useNodes } from '../nodes/index.js';
import { refusalOf, useSession } from '../session/index.js';
import { useWorkflow, useWorkflows } from '../workflows/index.js';
import { InputControl } from './input-control.js';
import { inputFields, readInputs, readJsonObject } from './input-fields.js';
import { MoreOptions, type Options, optionsOf } from './more-options.js';
import { WorkspaceField } from './workspace-field.js';

type StartFormProps = {
  /** Chosen already where the dialog was opened. */
  node: string | null;
  workflow: string | null;
  onStarted: (thread: { node: string; id: string }) => void;
};

/** Which workflow, where, for what: and off it goes. */
export function StartForm(props: StartFormProps) {
  const nodes = useNodes();
  const online = (nodes.data ?? []).filter(({ state }) => state === 'online');
  const [chosenNode, setChosenNode] = useState(props.node);
  const [workflow, setWorkflow] = useState(props.workflow ?? '');
  const [prompt, setPrompt] = useState('');
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [json, setJson] = useState('');
  // Null: not touched; then what fits the workflow stands there.
  const [typedWorkspace, setTypedWorkspace] = useState<string | null>(null);
  const [options, setOptions] = useState<Options>({
    agents: {},
    maxSteps: '',
    tokens: '',
    usd: '',
  });
  const [problems, setProblems] = useState<Record<string, string>>({});

  const able = online.filter(({ allow }) => allow.includes('run'));
  // Where only one can run it there is nothing to choose.
  const node = chosenNode ?? (able.length === 1 ? able[0]!.name : '');
  // Without a chosen node another one tells what workflows there are; which runs it is decided at the start.
  const shownNode = node !== '' ? node : (able[0]?.name ?? online[0]?.name ?? '');
  const workflows = useWorkflows(shownNode, shownNode !== '');
  const isMissing =
    workflow !== '' && workflows.data?.some(({ name }) => name === workflow) === false;
  const detail = useWorkflow(
    shownNode,
    workflow,
    workflows.isSuccess && workflow !== '' && !isMissing,
  );
  const fields = inputFields(detail.data?.inputs ?? null);
  const machine = useMachine(node, node !== '');
  const roots = machine.data?.node?.workspaceRoots ?? null;
  const workspace = typedWorkspace ?? (workflow === REPOSITORY_WORKFLOW ? (roots?.[0] ?? '') : '');
  const session = useSession();
  const refused =
    node === '' && online.length > 0 && able.length === 0
      ? 'No node that is connected lets anybody start threads from here (connect one with --allow run).'
      : refusalOf(session, nodes.data?.find(({ name }) => name === node) ?? null, 'run');
  const start = useStart(props.onStarted);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = fields === null ? jsonInputs(json) : readInputs(fields, typed);
    const found = read.ok ? {} : { ...read.problems };
    if (workflow === '') found.workflow = 'Choose a workflow.';
    setProblems(found);
    if (!read.ok || workflow === '' || isMissing || start.isPending) return;
    start.mutate({
      node: node === '' ? null : node,
      workflow,
      prompt,
      inputs: read.inputs,
      workspace: workspace.trim() === '' ? null : workspace.trim(),
      ...optionsOf(options),
    });
  };

  return (
    <form onSubmit={submit} noValidate className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-4 overflow-y-auto p-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Workflow"
            required
            problem={isMissing ? `${shownNode} has no workflow ${workflow}.` : problems.workflow}
          >
            {(tied) => (
              <select
                {...tied}
                className={inputLook}
                value={workflow}
                onChange={(event) => setWorkflow(event.target.value)}
              >
                <option value="">
                  {workflows.isLoading ? 'Loading workflows…' : 'Choose one'}
                </option>
                {withChosen(
                  (workflows.data ?? []).filter(({ problem }) => !problem).map(({ name }) => name),
                  workflow,
                ).map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Node" hint={online.length === 0 ? 'No node is connected.' : undefined}>
            {(tied) => (
              <select
                {...tied}
                className={inputLook}
                value={node}
                onChange={(event) => setChosenNode(event.target.value)}
              >
                <option value="">Any: the least busy</option>
                {withChosen(
                  online.map(({ name }) => name),
                  node,
                ).map((name) => (
                  <option key={name} value={name}>
                    {name}
                    {online.some((one) => one.name === name) &&
                      !able.some((one) => one.name === name) &&
                      ' (does not let threads be started)'}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        {refused !== null && <Notice kind="warning">{refused}</Notice>}
        {detail.data && <About workflow={detail.data} />}
        {workflows.isError && <Notice kind="error">{failureText(workflows.error)}</Notice>}
        <Field label="Prompt" hint="What shall be done, in your words. Markdown is fine.">
          {(tied) => (
            <textarea
              {...tied}
              rows={6}
              className={inputLook}
              value={prompt}
              onChange={(event) => setPrompt(event.target.value)}
            />
          )}
        </Field>
        <WorkspaceField node={node} roots={roots} value={workspace} onChange={setTypedWorkspace} />
        {fields?.map((field) => (
          <InputControl
            key={field.name}
            field={field}
            value={typed[field.name] ?? field.initial}
            problem={problems[field.name]}
            onChange={(value) => setTyped({ ...typed, [field.name]: value })}
          />
        ))}
        <MoreOptions
          options={options}
          roles={Object.keys(detail.data?.descriptor.roles ?? {})}
          onChange={setOptions}
          json={fields === null ? { text: json, problem: problems.json, onChange: setJson } : null}
        />
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-3 border-t p-3">
        {start.isError && (
          <Notice kind="error" className="w-full">
            {failureText(start.error)}
          </Notice>
        )}
        <Button
          type="submit"
          look="primary"
          icon={<Play className="size-4" aria-hidden />}
          refused={refused ?? (start.isPending ? 'It is being started.' : null)}
        >
          {start.isPending ? 'Starting…' : 'Start'}
        </Button>
      </footer>
    </form>
  );
}

/** Starts once, however often it is pressed and whatever answer was lost: the same start has the same key. */
function useStart(onStarted: StartFormProps['onStarted']) {
  const queries = useQueryClient();
  const last = useRef({ start: '', key: '' });
  return useMutation({
    mutationFn: (start: Start) => {
      const text = JSON.stringify(start);
      if (last.current.start !== text) last.current = { start: text, key: newKey() };
      return startThread(start, last.current.key);
    },
    onSuccess: ({ threadId, node }) => {
      void queries.invalidateQueries({ queryKey: keys.lists });
      onStarted({ node, id: threadId });
    },
  });
}

/** Reads the repository it is told to work in; where a node offers one it is that. */
const REPOSITORY_WORKFLOW = 'demo';

const KEY_BYTES = 16;

/** `crypto.randomUUID` is only there on secure addresses. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function jsonInputs(text: string): ReturnType<typeof readInputs> {
  const read = readJsonObject(text);
  if ('problem' in read) return { ok: false, problems: { json: read.problem } };
  return { ok: true, inputs: read.value };
}

function withChosen(names: string[], chosen: string): string[] {
  return chosen === '' || names.includes(chosen) ? names : [chosen, ...names];
}

function About({ workflow: { descriptor, description } }: { workflow: WorkflowDetail }) {
  const roles = Object.keys(descriptor.roles);
  return (
    <p className="text-sm text-muted">
      {description ?? descriptor.description}
      {roles.length > 0 && ` Roles: ${roles.join(', ')}.`}
    </p>
  );
}
