import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SCRIPTS_PER_PROCESS } from '../limits.js';
import { createShellParser, type Shell } from './shell-parser.js';

const home = mkdtempSync(join(tmpdir(), 'uwf-shell-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function open(name: string, text: string): number {
  writeFileSync(join(home, name), text);
  return openSync(join(home, name), 'r');
}

describe('the shell parser', () => {
  it('answers for each script in its place, over several batches', async () => {
    const parser = createShellParser();
    const scripts = Array.from({ length: SCRIPTS_PER_PROCESS * 2 + 3 }, (_, n) => ({
      shell: (n % 2 === 0 ? 'sh' : 'bash') as Shell,
      broken: n % 7 === 0,
      descriptor: open(`${n}.sh`, n % 7 === 0 ? 'echo a\nfi\n' : 'echo a\n'),
    }));
    const parsing = scripts.map(({ shell, descriptor }) => parser.parse(shell, descriptor));
    parser.flush();
    const parsed = await Promise.all(parsing);
    expect(parsed.map((one) => one !== null)).toEqual(scripts.map(({ broken }) => broken));
    for (const one of parsed) if (one !== null) expect(one).toMatchObject({ line: 2 });
  });

  it('runs nothing, and takes what a script says for no answer', async () => {
    const parser = createShellParser();
    const mark = join(home, 'ran');
    const parsing = [
      parser.parse('bash', open('run', `touch '${mark}'\n$(touch '${mark}')\n`)),
      parser.parse('sh', open('fake', "echo '\n00000000-0000-0000-0000-000000000000 0\n")),
      parser.parse('sh', open('fine', 'true\n')),
    ];
    parser.flush();
    const [run, fake, fine] = await Promise.all(parsing);
    expect([run, fine]).toEqual([null, null]);
    expect(fake).toHaveProperty('message');
    expect(() => openSync(mark, 'r')).toThrow('ENOENT');
  });
});
