import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A small git repository with two commits, something to find for `demo`, and no dependency on who runs this. */
export function makeRepository(directory: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
      },
    });
  mkdirSync(join(directory, 'src'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(directory, 'README.md'), '# Shop\n\nSells things.\n');
  writeFileSync(join(directory, 'src', 'price.js'), 'export const price = (n) => n * 2;\n');
  git('add', '.');
  git('commit', '--quiet', '--message=Prices');
  writeFileSync(join(directory, 'src', 'price.js'), 'export const price = (n) => n * 3;\n');
  writeFileSync(join(directory, 'package.json'), '{ "name": "shop", }\n');
  git('add', '.');
  git('commit', '--quiet', '--message=Dearer');
  return directory;
}
