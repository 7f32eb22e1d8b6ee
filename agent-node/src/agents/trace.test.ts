import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanTrace } from './trace.js';

const turn = (text: string) => ({
  input: text,
  output: text,
  reasoning: text,
  toolCalls: [{ name: text, arguments: text, result: text, durationMs: 1 }],
  usage: null,
  latencyMs: 2,
});

describe('cleanTrace', () => {
  it('masks a secret in every text, in every form that output is masked in', () => {
    const secret = 'sk-"very"-secret';
    const forms = [secret, JSON.stringify(secret), encodeURIComponent(secret)];
    const { turns } = cleanTrace({ turns: forms.map(turn), durationMs: 7 }, [secret]);
    expect(turns.map(({ input }) => input)).toEqual(['***', '"***"', '***']);
    const masked = turns.map((each) => each.output!);
    expect(turns).toEqual(masked.map(turn));
  });

  it('masks each text for itself: two halves of a secret in two texts are two texts', () => {
    const trace = { turns: [turn('a sec'), turn('ret b')], durationMs: null };
    expect(cleanTrace(trace, ['secret'])).toEqual(trace);
  });

  it('leaves null as null and makes every text well-formed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.string({ unit: 'binary' }))),
        fc.boolean(),
        (texts, hasSecret) => {
          const turns = texts.map((text) => ({ ...turn('x'), output: text }));
          const clean = cleanTrace({ turns, durationMs: null }, hasSecret ? ['sesame-0'] : []);
          expect(clean.turns.map(({ output }) => output)).toEqual(
            texts.map((text) => text?.toWellFormed() ?? null),
          );
        },
      ),
    );
    expect(cleanTrace({ turns: [turn('\ud800')], durationMs: null }, ['secret']).turns).toEqual([
      turn('\ufffd'),
    ]);
  });
});
