import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gatewayRoutes, routes } from '@uncaged/protocol/api';
import { problemCodes } from '@uncaged/protocol/problem';
import { describe, expect, it } from 'vitest';
import { checkDefinitionText } from '../../agent-node/src/registry/index.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = ['README.md', 'docs/authoring.md'];
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(resolve(REPOSITORY, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

function read(page: string): string {
  return readFileSync(resolve(REPOSITORY, page), 'utf8');
}

/** Cells of the rows of all tables of a text; `\|` stays within its cell. */
function rowsOf(text: string): string[][] {
  return [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(/ (?<!\\)\| /));
}

const examples = EXAMPLES.flatMap((page) =>
  [...read(page).matchAll(/```yaml\n(name: .*?)```/gs)].map(([, example]) => ({
    page,
    example: example ?? '',
  })),
);

it('every page has a workflow to copy', () => {
  expect(new Set(examples.map(({ page }) => page))).toEqual(new Set(EXAMPLES));
});

it.each(examples)('a workflow copied from $page passes the check', async ({ example }) => {
  const { findings } = await checkDefinitionText(example, null);
  expect(findings).toEqual([]);
});

const BINS: Readonly<Record<string, string>> = {
  uwf: 'agent-node/bin/uwf.js',
  'uwf-gateway': 'gateway/bin/uwf-gateway.js',
};

/** What a command says of itself. */
async function helpOf([program, ...argv]: readonly string[]): Promise<string> {
  const bin = resolve(REPOSITORY, BINS[program!]!);
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...argv, '--help'], {
    env: { PATH: process.env.PATH },
  });
  return stdout;
}

/** Names of the options in the first cells of the tables of a section. */
function optionsOf(section: string): string[] {
  return rowsOf(section).flatMap(([cell]) => cell!.match(/(?<=`)--[a-z-]+/g) ?? []);
}

function sectionOf(page: string, heading: string): string {
  const [, section] = read(page).split(`${heading}\n`);
  expect(section, `${page} has no ${heading}`).toBeDefined();
  return section!.split(/\n#{1,6} /)[0]!;
}

describe('the options of a command', () => {
  it.each([
    { words: ['uwf', 'connect'], page: 'docs/nodes.md', heading: '## `uwf connect`' },
    { words: ['uwf', 'serve'], page: 'docs/nodes.md', heading: '## `uwf serve`' },
    { words: ['uwf', 'step', 'read'], page: 'docs/reading.md', heading: '## `uwf step read`' },
    { words: ['uwf', 'thread', 'exec'], page: 'docs/reading.md', heading: '## `uwf thread exec`' },
    { words: ['uwf', 'log', 'list'], page: 'docs/reading.md', heading: '## `uwf log list`' },
    { words: ['uwf', 'log', 'show'], page: 'docs/reading.md', heading: '## `uwf log show`' },
    { words: ['uwf', 'log', 'clean'], page: 'docs/reading.md', heading: '## `uwf log clean`' },
    { words: ['uwf-gateway', 'start'], page: 'docs/gateway.md', heading: '# Operating a gateway' },
  ])('$words are those of $page, no more and no fewer', async ({ words, page, heading }) => {
    const help = await helpOf(words);
    const real = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name!);
    const told = optionsOf(sectionOf(page, heading));
    expect(told.sort()).toEqual(real.filter((name) => name !== '--help').sort());
  });

  it('exist wherever a page shows a command of the gateway or of a node', async () => {
    const commands = ['uwf connect', 'uwf serve', 'uwf-gateway start', 'uwf-gateway token'];
    for (const command of commands) {
      const help = await helpOf(command.split(' '));
      const shown = PAGES.flatMap((page) =>
        read(page)
          .split('\n')
          .filter((line) => line.includes(`${command} --`))
          .flatMap(
            (line) =>
              line
                .split(command)[1]!
                .split(/[`#>|)]/)[0]!
                .match(/--[a-z-]+/g) ?? [],
          ),
      );
      for (const option of shown) expect(help, command).toContain(option);
    }
  });
});

describe('docs/api.md', () => {
  const page = read('docs/api.md');
  /** `GET`, `POST /a`, `/b` → the paths as they stand there, without `/api`. */
  const paths = rowsOf(page).flatMap(([cell]) =>
    [...cell!.matchAll(/(?<=[` ])\/[\w/:-]+/g)].map(([path]) => path.replace(/^\/api(?=\/)/, '')),
  );

  it.each(Object.entries({ ...routes, ...gatewayRoutes }))('has the route %s', (_, { path }) => {
    const place = path.slice('/api'.length);
    const last = place.slice(place.lastIndexOf('/'));
    // In a row that has the path, the next ones may be given by their last part.
    expect(paths.some((told) => told === place || told === last)).toBe(true);
  });

  it('has routes that exist, and no others', () => {
    const known = Object.values({ ...routes, ...gatewayRoutes }).map(({ path }) => path);
    const open = ['/healthz', '/readyz', '/metrics', '/nodes/:node/', '/threads/:id/'];
    for (const told of paths)
      expect(open.includes(told) || known.some((path) => path.endsWith(told)), told).toBe(true);
  });

  it('says of problems what they are', () => {
    const rows = rowsOf(page).filter(([, status]) => /^[45]\d\d$/.test(status ?? ''));
    expect(rows.length).toBeGreaterThan(0);
    for (const [codes, status] of rows)
      for (const [, code] of codes!.matchAll(/`([a-z-]+)`/g))
        expect(problemCodes).toHaveProperty([code!, 'status'], Number(status));
  });
});

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(PAGES)('links of %s lead somewhere', (page) => {
  for (const [, target] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target!)) continue;
    const [path, anchor] = target!.split('#');
    const file = path === '' ? page : resolve(REPOSITORY, dirname(page), path!);
    expect(existsSync(resolve(REPOSITORY, file)), `${page}: ${target}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(read(file)), `${page}: ${target}`).toContain(anchor);
  }
});
