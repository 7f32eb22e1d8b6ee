import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { WorkflowDetail } from '@uncaged/protocol/api';
import { Play } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { failureText, keys, newRequestKey, type Start, startThread } from '../../api/index.js';
import { Button, Field, inputLook, Notice } from '../../ui/index.js';
import { useMachine, useNodes } from '../nodes/index.js';
import { refusalOf, useSession } from '../session/index.js';
import { useWorkflow } from '../workflows/index.js';
import { candidatesOf, labelsOf } from './candidates.js';
import { InputControl } from './input-control.js';
import { inputFields, readInputs, readJsonObject } from './input-fields.js';
import { LabelField } from './label-field.js';
import { leaveNode, leaveWorkflow } from './leave-node.js';
import { MoreOptions, optionsOf } from './more-options.js';
import { type Draft, EMPTY_DRAFT, isEmpty, keepDraft, loadDraft } from './start-draft.js';
import { useWorkflowChoice } from './use-workflow-choice.js';
import { NodeField, WorkflowField } from './where-fields.js';
import { WorkspaceField } from './workspace-field.js';

type StartFormProps = {
  /** Chosen already where the dialog was opened. */
  node: string | null;
  workflow: string | null;
  onStarted: (thread: { node: string; id: string }) => void;
};

/** Which workflow, where, for what: and off it goes. What is typed is kept until it was started. */
export function StartForm(props: StartFormProps) {
  const [draft, setDraft] = useState<Draft>(() => draftFor(props));
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    keepDraft(sessionStorage, next);
  };
  /** It was pressed once: what is missing is said from then on. */
  const [isTried, setIsTried] = useState(false);
  /** By input; of one that was changed since nothing is known. */
  const [problems, setProblems] = useState<Record<string, string>>({});
  const changed = (input: string) => setProblems(({ [input]: _, ...others }) => others);
  const { workflow, prompt, labels } = draft;

  const nodes = useNodes();
  const machines = nodes.data ?? [];
  const able = candidatesOf(machines, '', {});
  // Where only one can run it there is nothing to choose.
  const node = draft.node ?? (able.length === 1 ? able[0]!.name : '');
  const candidates = candidatesOf(machines, node, labels);
  const choice = useWorkflowChoice(
    // Also a node that takes no threads says what it has.
    node === '' ? candidates.map(({ name }) => name) : [node],
    workflow,
  );
  const detail = useWorkflow(choice.node ?? '', workflow, choice.node !== null);
  const fields = inputFields(detail.data?.inputs ?? null);
  const machine = useMachine(node, node !== '');
  const roots = machine.data?.node?.workspaceRoots ?? null;
  const workspace = draft.workspace ?? (workflow === REPOSITORY_WORKFLOW ? (roots?.[0] ?? '') : '');
  const session = useSession();
  const refused =
    refusalOf(session, machines.find(({ name }) => name === node) ?? null, 'run') ??
    (node === '' ? noCandidate(candidates.length, able.length, labels) : null);
  const start = useStart((thread) => {
    keepDraft(sessionStorage, null);
    props.onStarted(thread);
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = fields === null ? jsonInputs(draft.json) : readInputs(fields, draft.typed);
    setIsTried(true);
    setProblems(read.ok ? {} : read.problems);
    if (!read.ok || workflow === '' || choice.isMissing || start.isPending) return;
    start.mutate({
      node: node === '' ? null : node,
      labels: node === '' ? labels : {},
      workflow,
      prompt,
      inputs: read.inputs,
      workspace: workspace.trim() === '' ? null : workspace.trim(),
      ...optionsOf(draft.options),
    });
  };

  return (
    <form onSubmit={submit} noValidate className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-4 overflow-y-auto p-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <WorkflowField
            choice={choice}
            node={node}
            value={workflow}
            problem={isTried && workflow === '' ? 'Choose a workflow.' : undefined}
            onChange={(value) => {
              setProblems({});
              set({ ...leaveWorkflow(draft, value), workflow: value });
            }}
          />
          <NodeField
            machines={machines}
            value={node}
            onChange={(value) => set({ ...leaveNode(draft, node, value), node: value })}
          />
        </div>
        {node === '' && (
          <LabelField
            labels={labelsOf(machines)}
            chosen={labels}
            onChange={(value) => set({ labels: value })}
          />
        )}
        {refused !== null && <Notice kind="warning">{refused}</Notice>}
        {detail.data && <About workflow={detail.data} />}
        {choice.error !== null && <Notice kind="warning">{failureText(choice.error)}</Notice>}
        <Field
          label="Prompt"
          hint="What shall be done, in your words; Markdown is fine. Empty where the workflow itself says what to do."
        >
          {(tied) => (
            <textarea
              {...tied}
              rows={6}
              className={inputLook}
              value={prompt}
              onChange={(event) => set({ prompt: event.target.value })}
            />
          )}
        </Field>
        <WorkspaceField
          node={node}
          roots={roots}
          value={workspace}
          onChange={(value) => set({ workspace: value })}
        />
        {fields?.map((field) => (
          <InputControl
            key={field.name}
            field={field}
            value={draft.typed[field.name] ?? field.initial}
            problem={problems[field.name]}
            onChange={(value) => {
              changed(field.name);
              set({ typed: { ...draft.typed, [field.name]: value } });
            }}
          />
        ))}
        <MoreOptions
          options={draft.options}
          roles={Object.keys(detail.data?.descriptor.roles ?? {})}
          onChange={(options) => set({ options })}
          json={
            fields === null
              ? {
                  text: draft.json,
                  problem: problems.json,
                  onChange: (text) => {
                    changed('json');
                    set({ json: text });
                  },
                }
              : null
          }
        />
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-3 border-t px-4 py-3">
        {start.isError && (
          <Notice kind="error" className="w-full">
            {failureText(start.error)}
          </Notice>
        )}
        {!isEmpty(draft) && (
          <Button
            look="quiet"
            title="Empties the form; what is typed here stays until then, or until it is started"
            className="mr-auto"
            onClick={() => {
              keepDraft(sessionStorage, null);
              setDraft({ ...EMPTY_DRAFT, node: props.node, workflow: props.workflow ?? '' });
              setIsTried(false);
              setProblems({});
            }}
          >
            Clear
          </Button>
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

/** What was typed before; what the dialog was opened for goes before what was chosen then. */
function draftFor({ node, workflow }: StartFormProps): Draft {
  const kept = loadDraft(sessionStorage) ?? EMPTY_DRAFT;
  return { ...kept, node: node ?? kept.node, workflow: workflow ?? kept.workflow };
}

/** Why no node can be chosen by itself; null: one can. */
function noCandidate(
  candidates: number,
  able: number,
  labels: Record<string, string>,
): string | null {
  if (candidates > 0) return null;
  if (able === 0)
    return 'No node that is connected lets anybody start threads from here (connect one with --allow run).';
  const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return `No node that is connected has ${wanted.join(' and ')}.`;
}

/** Starts once, however often it is pressed and whatever answer was lost: the same start has the same key. */
function useStart(onStarted: StartFormProps['onStarted']) {
  const queries = useQueryClient();
  const last = useRef({ start: '', key: '' });
  return useMutation({
    mutationFn: (start: Start) => {
      const text = JSON.stringify(start);
      if (last.current.start !== text) last.current = { start: text, key: newRequestKey() };
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

function jsonInputs(text: string): ReturnType<typeof readInputs> {
  const read = readJsonObject(text);
  if ('problem' in read) return { ok: false, problems: { json: read.problem } };
  return { ok: true, inputs: read.value };
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
