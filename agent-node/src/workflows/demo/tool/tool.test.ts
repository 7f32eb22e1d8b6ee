import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { demoDefinition } from '../demo-definition.js';

type Graph = Record<string, Record<string, { role: string }>>;
type Step = {
  role: string;
  status: string;
  body: string;
  meta: Record<string, unknown>;
};

type Roles = Record<string, { run: string; frontmatter: Record<string, unknown> }>;

const definition: { roles: Roles; graph: Graph } = parse(demoDefinition);
let home = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'uwf-demo-'));
  await build({
    // As the real build does it: what is split behaves differently from one file.
    entryPoints: [{ in: fileURLToPath(new URL('./main.ts', import.meta.url)), out: 'demo' }],
    outdir: home,
    bundle: true,
    splitting: true,
    mainFields: ['module', 'main'],
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs the roles one after another as the definition says: its scripts, its edges, one file of steps. */
function play(workspace: string, env: NodeJS.ProcessEnv = {}, quiet = true): Step[] {
  const steps: Step[] = [];
  const stepsFile = join(home, 'steps.jsonl');
  writeFileSync(stepsFile, '');
  let role = definition.graph.$START?._?.role ?? '';
  while (role !== '$END') {
    const script = definition.roles[role]?.run ?? '';
    const ran = spawnSync('/bin/sh', ['-c', script], {
      cwd: workspace,
      encoding: 'utf8',
      env: {
        ...process.env,
        UWF_NODE: process.execPath,
        UWF_BUILTINS: home,
        UWF_STEPS_FILE: stepsFile,
        ...env,
      },
    });
    if (quiet) expect(ran.stderr, `stderr of ${role}`).toBe('');
    const [, head = '', ...rest] = ran.stdout.split(/^---$/m);
    const meta = parse(head);
    const isValid = new Ajv2020({ strict: false }).compile(
      definition.roles[role]?.frontmatter ?? {},
    );
    expect(isValid(meta), `meta of ${role}: ${JSON.stringify(isValid.errors)}`).toBe(true);
    steps.push({ role, status: meta.$status, body: rest.join('---').trim(), meta });
    appendFileSync(
      stepsFile,
      `${JSON.stringify({ role, attempt: 1, hash: `HASH${steps.length}`, meta })}\n`,
    );
    const next = definition.graph[role]?.[meta.$status]?.role;
    expect(next, `edge of ${role} for ${meta.$status}`).toBeDefined();
    role = next ?? '$END';
    expect(steps.length).toBeLessThan(20);
  }
  return steps;
}

function repository(files: Record<string, string | Buffer>): string {
  const root = mkdtempSync(join(home, 'repo-'));
  git(root, 'init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) write(root, name, text);
  return root;
}

function write(root: string, name: string, text: string | Buffer): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

function git(root: string, ...args: string[]): void {
  execFileSync(
    'git',
    ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false', ...args],
    {
      cwd: root,
      stdio: 'ignore',
    },
  );
}

function commit(root: string, message = 'change'): void {
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', message);
}

const path = (steps: Step[]) => steps.map((step) => `${step.role}:${step.status}`);
const last = (steps: Step[]) => steps.at(-1)?.body ?? '';

describe('the demo on a repository', () => {
  it('goes straight to the report where nothing is wrong', () => {
    const root = repository({
      'a.js': 'export const a = 1;\n',
      'README.md': '[a](a.js)\n',
      'x.json': '{}',
    });
    commit(root);
    const steps = play(root);
    expect(path(steps)).toEqual(['survey:surveyed', 'history:read', 'checks:ok', 'report:done']);
    expect(steps[0]?.meta).toMatchObject({ files: 3, lines: 3, language: 'JavaScript' });
    expect(last(steps)).toContain('3 files, mostly JavaScript, nothing wrong found');
  });

  it('finds what is wrong with file and line, by one or more closer looks', () => {
    const root = repository({
      'package.json': '{"type": "module"}',
      'src/bad.js': 'export const a = 1;\nlet x = ;\n',
      'src/jsx.js': 'export const a = <b/>;\n',
      'src/old.cjs': '#!/usr/bin/env node\nreturn 1\n',
      'src/broken.cjs': 'module.exports = {\n  a: 1\n  b: 2 };\n',
      'conf.json': '{"a": 1,\n "b": ,}\n',
      'tests/data.json': '{',
      'ci.yml': 'a:\n  b: [1\nc: 2\n',
      'run.sh': '#!/bin/sh\nif true; then\n  echo hi\n',
      'ok.sh': '#!/bin/bash\nshopt -s extglob\nrm -f !(a|b)\n',
      'README.md': '# Hi\n\n[gone](docs/gone.md), [here](src/)\n',
      'merge.txt': 'a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n',
      'docs/A.md': 'a',
      'docs/a.md': 'b',
      'big.bin': Buffer.alloc(6_000_000),
    });
    symlinkSync('/etc/passwd', join(root, 'out'));
    symlinkSync('nowhere', join(root, 'dangling'));
    commit(root);
    write(root, 'docs/a.md', 'trailing \n');
    const steps = play(root);
    expect(path(steps)).toEqual([
      'survey:surveyed',
      'history:read',
      'checks:findings',
      'triage:look-closer',
      'checks:detailed',
      'triage:look-closer',
      'checks:detailed',
      'triage:look-closer',
      'checks:detailed',
      'triage:look-closer',
      'checks:detailed',
      'triage:settled',
      'report:done',
    ]);
    const report = last(steps);
    for (const place of [
      'src/bad.js:2',
      'src/broken.cjs:',
      'conf.json:2',
      'tests/data.json:1',
      'ci.yml:',
      'run.sh:',
      'README.md:3',
      'merge.txt:2',
      'docs/a.md',
      'big.bin',
      'out',
      'dangling',
      'docs/a.md:1',
    ]) {
      expect(report).toContain(`\`${place}`);
    }
    expect(report).not.toContain('`ok.sh:');
    expect(report).not.toContain('old.cjs:');
    expect(report).toContain('1 file with JSX');
    for (const { meta } of steps) expect(JSON.stringify(meta).length).toBeLessThan(1_000);
  });

  it('counts deleted, binary, linked and nested repositories for what they are', () => {
    const root = repository({
      'a.txt': 'one\ntwo',
      'gone.txt': 'x\n',
      'b.bin': Buffer.from([1, 0, 2]),
    });
    const inner = join(root, 'sub');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    write(inner, 'x.txt', 'x');
    commit(inner);
    symlinkSync('a.txt', join(root, 'link'));
    commit(root);
    rmSync(join(root, 'gone.txt'));
    write(root, 'new.txt', 'y');
    const [survey] = play(root);
    expect(survey?.meta).toMatchObject({
      files: 5,
      lines: 2,
      workingTree: '1 file changed (1 deleted), 1 untracked',
    });
    expect(survey?.body).toContain('1 submodule not entered');
  });

  it('ranks hot spots over the commits of several people', () => {
    const root = repository({ 'a.js': '// 0\n', 'b.js': 'x;\n'.repeat(50) });
    commit(root);
    for (let n = 1; n < 4; n += 1) {
      write(root, 'a.js', `// ${n}\n`);
      write(root, 'b.js', `x;\n`.repeat(50 + n));
      git(root, 'commit', '-qam', 'x', '--author', `P${n} <p${n}@example.org>`);
    }
    const history = play(root)[1];
    expect(history?.meta).toMatchObject({ commits: 4, authors: 4, hottest: 'b.js' });
  });

  it('still reports what it knows when the history is damaged', () => {
    const root = repository({ 'a.txt': 'a' });
    commit(root);
    write(root, 'a.txt', 'b');
    commit(root);
    const id = execFileSync('git', ['rev-parse', 'HEAD^'], { cwd: root, encoding: 'utf8' }).trim();
    rmSync(join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
    const steps = play(root, {}, false);
    expect(path(steps)).toEqual([
      'survey:surveyed',
      'history:failed',
      'checks:ok',
      'report:incomplete',
    ]);
    expect(last(steps)).toContain('**Incomplete**: the step history could not finish');
    expect(last(steps)).toContain('1 tracked file');
  });

  it('says that a shallow clone hides the older history', () => {
    const origin = repository({ 'a.txt': 'a' });
    commit(origin);
    write(origin, 'a.txt', 'b');
    commit(origin);
    const clone = join(home, 'shallow');
    git(home, 'clone', '-q', '--depth', '1', `file://${origin}`, clone);
    expect(last(play(clone))).toContain('a shallow clone');
  });

  it('looks at the whole repository from a directory inside of it', () => {
    const root = repository({ 'a.txt': 'a', 'deep/b.txt': 'b' });
    commit(root);
    expect(play(join(root, 'deep'))[0]?.meta.files).toBe(2);
  });
});

describe('the demo without the steps before it', () => {
  it('says which file is missing, and makes no report of nothing', () => {
    const root = repository({ 'a.txt': 'a' });
    commit(root);
    for (const role of ['checks', 'triage', 'report']) {
      const ran = spawnSync(process.execPath, [join(home, 'demo.js'), role], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, UWF_STEPS_FILE: join(home, 'gone.jsonl') },
      });
      expect(ran.stderr).toContain('UWF_STEPS_FILE cannot be read: ENOENT');
      expect(ran.status).toBe(role === 'report' ? 1 : 0);
      if (role === 'report') expect(ran.stdout).toBe('');
      else expect(ran.stdout).toContain('$status: "failed"');
    }
  });
});

describe('the demo where there is nothing to look at', () => {
  it('explains a directory outside of any repository', () => {
    const outside = mkdtempSync(join(home, 'plain-'));
    const steps = play(outside, { GIT_CEILING_DIRECTORIES: home });
    expect(path(steps)).toEqual(['survey:not-a-repository', 'report:nothing']);
    expect(last(steps)).toContain('git init');
  });

  it('explains a repository without commits', () => {
    const steps = play(repository({ 'a.txt': 'a' }));
    expect(path(steps)).toEqual(['survey:no-commits', 'report:nothing']);
  });

  it('explains that git is missing', () => {
    const steps = play(home, { PATH: join(home, 'nothing-here') });
    expect(path(steps)).toEqual(['survey:no-git', 'report:nothing']);
    expect(last(steps)).toContain('Install git');
  });
});

describe('the demo on a hostile repository', () => {
  it('starts no program that the configuration of the repository names', () => {
    const root = repository({
      '.gitattributes': '*.txt filter=evil diff=evil\n*.md diff=conv\n',
      'a.txt': 'a\n',
      'b.md': 'b\n',
    });
    commit(root);
    write(root, 'a.txt', 'a \n');
    commit(root);
    const marks = mkdtempSync(join(home, 'marks-'));
    const script = (name: string) => {
      const file = join(home, `program-${name}`);
      writeFileSync(file, `#!/bin/sh\ntouch '${join(marks, name)}'\ncat\n`);
      chmodSync(file, 0o755);
      return file;
    };
    for (const setting of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'diff.external',
      'diff.evil.command',
      'diff.conv.textconv',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'gpg.program',
    ]) {
      git(root, 'config', setting, script(setting));
    }
    git(root, 'config', 'log.showSignature', 'true');
    git(root, 'config', 'alias.log', `!${script('alias')}`);
    write(root, '.git/hooks/post-index-change', readFileSync(script('hook')));
    chmodSync(join(root, '.git/hooks/post-index-change'), 0o755);
    write(root, 'a.txt', 'changed \n');
    write(root, 'b.md', 'changed \n');

    const steps = play(root);
    expect(last(steps)).toContain('`a.txt:1` trailing whitespace (not committed)');
    expect(readdirSync(marks)).toEqual([]);
    // The traps are live: plain git falls into them.
    spawnSync('git', ['diff', 'HEAD'], { cwd: root });
    expect(readdirSync(marks)).not.toEqual([]);
  });

  it('refuses a repository whose configuration puts its files elsewhere', () => {
    const root = repository({ 'a.txt': 'a' });
    commit(root);
    for (const elsewhere of ['/etc', '/', home]) {
      git(root, 'config', 'core.worktree', elsewhere);
      const steps = play(root);
      expect(['unreadable', 'not-a-repository']).toContain(steps[0]?.status);
      expect(steps.at(-1)?.status).toBe('nothing');
    }
  });

  it('shows names of any bytes without obeying them', () => {
    const root = repository({ 'ok.txt': 'x' });
    const names = [
      '-rf',
      'a\nb.json',
      '\x1b[31mred.json',
      '`tick`|.json',
      ' --- ',
      '$(touch pwned).sh',
      '\u202egpj.json',
    ];
    for (const name of names) write(root, name, '{');
    const raw = Buffer.concat([
      Buffer.from(`${root}/`),
      Buffer.from([0x62, 0xff]),
      Buffer.from('.json'),
    ]);
    writeFileSync(raw, '{');
    commit(root);
    const steps = play(root);
    const shown = steps.map(({ body }) => body).join('\n');
    expect(shown).toContain('`a\\nb.json:1`');
    expect(shown).toContain('`b\\xff.json:1`');
    expect(shown).toContain('`` `tick`|.json:1 ``');
    for (const { body } of steps) expect(body).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  it('never reads pipes, huge files or what lies behind a symlink', () => {
    const root = repository({
      'dir/secret.json': '{}',
      'pipe.json': '{}',
      'huge.json': '{}',
      'link.json': '{}',
    });
    commit(root);
    const outside = mkdtempSync(join(home, 'outside-'));
    write(outside, 'secret.json', 'SECRET');
    rmSync(join(root, 'dir'), { recursive: true });
    symlinkSync(outside, join(root, 'dir'));
    rmSync(join(root, 'link.json'));
    symlinkSync(join(outside, 'secret.json'), join(root, 'link.json'));
    rmSync(join(root, 'pipe.json'));
    execFileSync('mkfifo', [join(root, 'pipe.json')]);
    truncateSync(join(root, 'huge.json'), 64 * 1024 * 1024);
    const steps = play(root);
    const overview = steps.find((step) => step.role === 'checks');
    expect(overview?.meta.leftOut).toContain('JSON that does not parse: 1 file too large to check');
    expect(overview?.meta.looked).not.toHaveProperty('json-syntax');
    expect(JSON.stringify(steps)).not.toContain('SECRET');
  });
});
