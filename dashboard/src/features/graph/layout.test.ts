import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, bottom, type Point, right } from './geometry.js';
import { type GraphLayout, layoutGraph } from './layout.js';
import { END, START } from './sentinels.js';

type Edge = { from: string; to: string; condition: string; conditionDescription: string | null };

const edge = (from: string, to: string, condition = '_'): Edge => ({
  from,
  to,
  condition,
  conditionDescription: null,
});

/** Any graph, also strange ones: loops, edges into the start and out of the end, roles nothing leads to. */
const graphs = fc.integer({ min: 0, max: 14 }).chain((count) => {
  const roles = Array.from({ length: count }, (_, index) => `role-${index}`);
  const node = fc.constantFrom(...roles, START, END);
  const condition = fc.constantFrom('_', 'done', 'rejected', 'needs-another-look', 'FALLBACK');
  return fc.record({
    roles: fc.constant(roles),
    edges: fc.array(
      fc.tuple(node, node, condition).map(([from, to, name]) => edge(from, to, name)),
      { maxLength: 40 },
    ),
  });
});

const inside = ({ x, y }: Point, box: Box) =>
  x > box.x && x < right(box) && y > box.y && y < bottom(box);

/** Whether a piece of a line goes through the inside of a box (Liang and Barsky's clipping). */
function crosses(a: Point, b: Point, box: Box): boolean {
  if (inside(a, box) || inside(b, box)) return true;
  let [enter, leave] = [0, 1];
  const sides: [number, number][] = [
    [a.x - b.x, a.x - box.x],
    [b.x - a.x, right(box) - a.x],
    [a.y - b.y, a.y - box.y],
    [b.y - a.y, bottom(box) - a.y],
  ];
  for (const [slope, room] of sides) {
    if (slope === 0) {
      if (room <= 0) return false;
    } else if (slope < 0) enter = Math.max(enter, room / slope);
    else leave = Math.min(leave, room / slope);
  }
  return enter < leave;
}

const shrunk = ({ x, y, width, height }: Box, by = 0.01): Box => ({
  x: x + by,
  y: y + by,
  width: width - 2 * by,
  height: height - 2 * by,
});

function overlap(a: Box, b: Box): boolean {
  return a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a);
}

function faults({ nodes, edges, width, height }: GraphLayout): string[] {
  const found: string[] = [];
  const boxes = new Map(nodes.map(({ role, box }) => [role, shrunk(box)]));
  for (const [role, box] of boxes)
    for (const [other, otherBox] of boxes)
      if (role < other && overlap(box, otherBox)) found.push(`${role} stands on ${other}`);
  for (const { from, to, points, label } of edges) {
    const name = `${from} → ${to}`;
    for (const [role, box] of boxes) {
      for (let at = 1; at < points.length; at += 1)
        if (crosses(points[at - 1]!, points[at]!, box)) found.push(`${name} runs through ${role}`);
      if (label !== null && overlap(label, box)) found.push(`label of ${name} is on ${role}`);
    }
    for (const { x, y } of points)
      if (!(x >= 0 && x <= width && y >= 0 && y <= height)) found.push(`${name} is outside`);
  }
  return found;
}

function touches(point: Point, box: Box): boolean {
  const [x, y] = [Math.abs(point.x - box.x), Math.abs(point.y - box.y)];
  const near = 0.01;
  const isIn = point.x > box.x - near && point.x < right(box) + near;
  const isBeside = point.y > box.y - near && point.y < bottom(box) + near;
  const isOn =
    x < near ||
    y < near ||
    Math.abs(point.x - right(box)) < near ||
    Math.abs(point.y - bottom(box)) < near;
  return isIn && isBeside && isOn;
}

describe('layoutGraph', () => {
  it('lets no edge and no label run through a node, whatever the graph', () => {
    fc.assert(
      fc.property(graphs, ({ roles, edges }) => {
        expect(faults(layoutGraph(roles, edges))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('begins and ends every edge at its nodes', () => {
    fc.assert(
      fc.property(graphs, ({ roles, edges }) => {
        const layout = layoutGraph(roles, edges);
        const boxes = new Map(layout.nodes.map(({ role, box }) => [role, box]));
        for (const { from, to, points } of layout.edges) {
          expect(touches(points[0]!, boxes.get(from)!)).toBe(true);
          expect(touches(points.at(-1)!, boxes.get(to)!)).toBe(true);
        }
      }),
    );
  });

  it('draws each role and each pair of nodes with an edge once, start above and end below all', () => {
    fc.assert(
      fc.property(graphs, ({ roles, edges }) => {
        const layout = layoutGraph(roles, edges);
        expect(layout.nodes.map(({ role }) => role).sort()).toEqual([...roles, START, END].sort());
        const pairs = new Set(edges.map(({ from, to }) => `${from} ${to}`));
        expect(layout.edges).toHaveLength(pairs.size);
        expect(layout.nodes[0]?.role).toBe(START);
        expect(layout.nodes.at(-1)?.role).toBe(END);
        const last = layout.nodes.at(-1)!.box.y;
        expect(layout.nodes.every(({ role, box }) => role === END || bottom(box) <= last)).toBe(
          true,
        );
      }),
    );
  });

  it('puts labels of edges on no other label in a workflow of the usual shape', () => {
    const { edges } = layoutGraph(DEVELOP.roles, DEVELOP.edges);
    const labels = edges.flatMap(({ label }) => label ?? []);
    for (const [index, label] of labels.entries())
      for (const other of labels.slice(index + 1)) expect(overlap(label, other)).toBe(false);
  });

  it('puts a chain in one column', () => {
    const { nodes, edges } = layoutGraph(
      ['a', 'b', 'c'],
      [edge(START, 'a'), edge('a', 'b'), edge('b', 'c'), edge('c', END)],
    );
    expect(new Set(nodes.map(({ box }) => box.x + box.width / 2)).size).toBe(1);
    expect(edges.map(({ points }) => points.length)).toEqual([2, 2, 2, 2]);
  });

  it('runs what goes up and what skips layers right and left in turn, the first right', () => {
    const { edges } = layoutGraph(
      ['a', 'b', 'c'],
      [
        edge(START, 'a'),
        edge('a', 'b', 'ok'),
        edge('b', 'c', 'ok'),
        edge('c', END, 'ok'),
        edge('c', 'a', 'again'),
        edge('a', END, 'nothing'),
      ],
    );
    const column = edges.find(({ to }) => to === 'a')!.points[0]!.x;
    const aside = edges.filter(({ kind }) => kind === 'feedback' || kind === 'skip');
    expect(aside.map(({ kind }) => kind).sort()).toEqual(['feedback', 'skip']);
    const onSide = aside.map(({ points }) => points.every(({ x }) => x > column));
    expect(onSide).toEqual([true, false]);
  });

  it('writes nothing at an only way that is always taken, and every condition of a pair at one edge', () => {
    const { edges } = layoutGraph(
      ['a'],
      [edge(START, 'a'), edge('a', END, 'done'), edge('a', END, 'gave-up')],
    );
    expect(edges.map(({ lines }) => lines.map(({ text }) => text))).toEqual([
      [],
      ['done', 'gave-up'],
    ]);
  });

  it('gives the same drawing for the same workflow', () => {
    expect(layoutGraph(DEVELOP.roles, DEVELOP.edges)).toEqual(
      layoutGraph(DEVELOP.roles, DEVELOP.edges),
    );
  });

  it('stays a drawing with five hundred roles in one layer, and with ten thousand edges', () => {
    const roles = Array.from({ length: 500 }, (_, index) => `role-${index}`);
    const fan = roles.flatMap((role) => [edge(START, role), edge(role, END)]);
    expect(faults(layoutGraph(roles, fan))).toEqual([]);
    const few = roles.slice(0, 100);
    const dense = few.flatMap((from) => few.map((to) => edge(from, to)));
    const { nodes, edges } = layoutGraph(few, dense);
    expect([nodes.length, edges.length]).toEqual([102, 10_000]);
  });
});

const DEVELOP = {
  roles: ['triage', 'plan', 'approve', 'code', 'format', 'test', 'review', 'security', 'merge'],
  edges: [
    edge(START, 'triage'),
    edge('triage', 'plan', 'feature'),
    edge('triage', 'code', 'small-fix'),
    edge('triage', END, 'not-ours'),
    edge('plan', 'approve'),
    edge('approve', 'plan', 'change'),
    edge('approve', 'code', 'approved'),
    edge('approve', END, 'rejected'),
    edge('code', 'format', 'done'),
    edge('code', 'code', 'more'),
    edge('format', 'test'),
    edge('test', 'review', 'passed'),
    edge('test', 'code', 'failed'),
    edge('review', 'security', 'approved'),
    edge('review', 'code', 'rejected'),
    edge('review', 'plan', 'wrong-plan'),
    edge('security', 'merge', 'clean'),
    edge('security', 'code', 'findings'),
    edge('merge', END, 'merged'),
    edge('merge', 'code', 'conflict'),
  ],
};
