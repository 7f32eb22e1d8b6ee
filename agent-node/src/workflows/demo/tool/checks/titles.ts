import type { CheckName } from './types.js';

type Title = {
  /** Heading of its findings. */
  heading: string;
  /** What was looked at, for "12 JSON files". */
  one: string;
  many: string;
  /** Why it matters and what to do, one sentence. */
  advice: string;
};

/** The words for each check. */
export const TITLES: Readonly<Record<CheckName, Title>> = {
  'conflict-markers': {
    heading: 'Unresolved merge conflicts',
    one: 'text file',
    many: 'text files',
    advice: 'Somebody committed a merge before it was finished; decide for one side.',
  },
  'json-syntax': {
    heading: 'JSON that does not parse',
    one: 'JSON file',
    many: 'JSON files',
    advice: 'Whatever reads the file fails, or silently goes on without it.',
  },
  'yaml-syntax': {
    heading: 'YAML that does not parse',
    one: 'YAML file',
    many: 'YAML files',
    advice: 'Pipelines and deployments that read it stop working, often without a word.',
  },
  'javascript-syntax': {
    heading: 'JavaScript that does not parse',
    one: 'JavaScript file',
    many: 'JavaScript files',
    advice: 'It fails as soon as it is loaded.',
  },
  'shell-syntax': {
    heading: 'Shell scripts that do not parse',
    one: 'shell script',
    many: 'shell scripts',
    advice: 'The script stops half way, after its first lines have already run.',
  },
  'name-collisions': {
    heading: 'Names that differ only in case',
    one: 'file name',
    many: 'file names',
    advice: 'A checkout on macOS or Windows keeps only one of them.',
  },
  'markdown-links': {
    heading: 'Broken links in Markdown',
    one: 'Markdown file',
    many: 'Markdown files',
    advice: 'Readers end up nowhere; usually something was moved.',
  },
  symlinks: {
    heading: 'Symlinks that lead nowhere',
    one: 'symlink',
    many: 'symlinks',
    advice: 'It works on one machine at best.',
  },
  'large-files': {
    heading: 'Outsized files',
    one: 'file size',
    many: 'file sizes',
    advice:
      'Every clone carries them for good, even after they are deleted; Git LFS or a download keeps them out.',
  },
  whitespace: {
    heading: 'Whitespace and leftovers in the latest changes',
    one: 'diff',
    many: 'diffs',
    advice: 'Cheap to clean up now, noise in every later diff.',
  },
};
