import { describe, expect, it } from 'vitest';
import { toModel } from './graph-model.js';
import { rankNodes } from './ranks.js';
import { END, START } from './sentinels.js';

const edge = (from: string, to: string, condition = '_') => ({
  ...{ from, to, condition, conditionDescription: null },
});
const rank = (roles: string[], ...edges: ReturnType<typeof edge>[]) => {
  const model = toModel(roles, edges);
  const { ranks, kinds } = rankNodes(model);
  return {
    ranks: Object.fromEntries(ranks),
    kinds: model.edges.map((one) => `${one.from}→${one.to} ${kinds.get(one)}`),
  };
};

describe('rankNodes', () => {
  it('puts a node below the lowest that leads to it', () => {
    const { ranks, kinds } = rank(
      ['a', 'b', 'c'],
      ...[edge(START, 'a'), edge('a', 'b'), edge('b', 'c'), edge('a', 'c'), edge('c', END)],
    );
    expect(ranks).toEqual({ [START]: 0, a: 1, b: 2, c: 3, [END]: 4 });
    expect(kinds).toContain('a→c skip');
    expect(kinds).toContain('b→c normal');
  });

  it('does not let what goes back or round change a layer', () => {
    const { ranks, kinds } = rank(
      ['a', 'b'],
      ...[edge(START, 'a'), edge('a', 'b'), edge('b', 'a'), edge('b', 'b'), edge('b', END)],
    );
    expect(ranks).toEqual({ [START]: 0, a: 1, b: 2, [END]: 3 });
    expect(kinds).toContain('b→a feedback');
    expect(kinds).toContain('b→b self');
  });

  it('puts roles that nothing leads to below the start, and the end below those that lead nowhere', () => {
    const { ranks } = rank(['lost', 'a', 'b'], edge(START, 'a'), edge('a', 'b'));
    expect(ranks).toEqual({ [START]: 0, lost: 1, a: 1, b: 2, [END]: 3 });
  });

  it('keeps the start first and the end last when edges lead into the one and out of the other', () => {
    const { ranks, kinds } = rank(
      ['a', 'b'],
      ...[edge('a', START), edge(END, 'b'), edge('b', 'a'), edge(START, END)],
    );
    expect(ranks).toEqual({ [START]: 0, b: 1, a: 2, [END]: 3 });
    expect(kinds).toEqual(expect.arrayContaining(['a→__start__ feedback', '__end__→b feedback']));
  });

  it('has two layers for a workflow of nothing', () => {
    expect(rank([]).ranks).toEqual({ [START]: 0, [END]: 1 });
  });
});
