import type { ShownWorkflow } from '../registry/index.js';
import { formatTime, type Output, renderTerminalLine, wrapToWidth } from './output/index.js';
import { type Edge, edgesOf } from './workflow-view.js';

/** Names of the two ends, as workflow files write them. */
const ENDS: Readonly<Record<string, string>> = { __start__: '$START', __end__: '$END' };
const INDENT = '    ';

/** At a glance: what the workflow is for, its roles, and where control goes from each. The YAML form has the rest. */
export function printWorkflow(out: Output, shown: ShownWorkflow): void {
  const { colors } = out;
  const { definition } = shown;
  const paragraph = (text: string, indent = '') => {
    const columns = out.width === null ? Number.POSITIVE_INFINITY : out.width - indent.length;
    for (const line of wrapToWidth(renderTerminalLine(text), columns)) out.line(indent + line);
  };
  const history = shown.history.map(({ hash, timestamp }) => `${hash} (${formatTime(timestamp)})`);
  out.line(`${colors.bold(shown.name)}  ${colors.dim(`${shown.hash}  ${originOf(shown)}`)}`);
  if (definition?.description) paragraph(definition.description);
  if (definition === null) return;
  const edges = edgesOf(definition);
  const control = (from: string) => {
    for (const line of edgeLines(edges, from)) paragraph(line, INDENT);
  };
  out.line();
  out.line(colors.dim('$START'));
  control('__start__');
  for (const name of inOrderOfReach(edges, Object.keys(definition.roles))) {
    const role = definition.roles[name]!;
    out.line(`${colors.role(name)}${role.run === null ? '' : colors.dim('  script')}`);
    if (role.description) paragraph(role.description, INDENT);
    control(name);
  }
  out.line();
  if (history.length > 0) paragraph(`earlier versions: ${history.join(', ')}`);
  paragraph(
    `scripts, schemas and prompts: uwf workflow show ${shown.path ?? shown.name} --format yaml`,
  );
}

function originOf(shown: ShownWorkflow): string {
  if (shown.path !== null) return renderTerminalLine(shown.path);
  if (shown.timestamp === null) return shown.origin === 'builtin' ? 'built in' : shown.origin;
  return `registered ${formatTime(shown.timestamp)}`;
}

/** As control may come to them, for what is stored has its keys sorted; roles that nothing leads to are last. */
function inOrderOfReach(edges: readonly Edge[], roles: readonly string[]): string[] {
  const reached = new Set<string>();
  const walk = (from: string) => {
    for (const { to } of edges.filter((edge) => edge.from === from)) {
      if (reached.has(to) || !roles.includes(to)) continue;
      reached.add(to);
      walk(to);
    }
  };
  walk('__start__');
  return [...reached, ...roles.filter((name) => !reached.has(name))];
}

/** `→ coder when rejected`; statuses that lead to the same role share a line. */
function edgeLines(edges: readonly Edge[], from: string): string[] {
  const conditions = new Map<string, (string | null)[]>();
  for (const edge of edges) {
    if (edge.from === from)
      conditions.set(edge.to, [...(conditions.get(edge.to) ?? []), edge.condition]);
  }
  return Array.from(conditions, ([to, all]) => {
    const when = all.includes(null) ? '' : ` when ${all.join(', ')}`;
    return `→ ${ENDS[to] ?? to}${when}`;
  });
}
