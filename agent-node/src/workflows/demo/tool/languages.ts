import { baseName, extensionOf } from './tracked-files.js';

const BY_EXTENSION: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...named('TypeScript', 'ts tsx mts cts'),
  ...named('JavaScript', 'js jsx mjs cjs'),
  ...named('Python', 'py pyi pyx'),
  ...named('Rust', 'rs'),
  ...named('Go', 'go'),
  ...named('C', 'c h'),
  ...named('C++', 'cc cpp cxx hh hpp hxx ino'),
  ...named('C#', 'cs'),
  ...named('Java', 'java'),
  ...named('Kotlin', 'kt kts'),
  ...named('Swift', 'swift'),
  ...named('Objective-C', 'm mm'),
  ...named('Ruby', 'rb rake gemspec'),
  ...named('PHP', 'php'),
  ...named('Perl', 'pl pm t'),
  ...named('Lua', 'lua'),
  ...named('Scala', 'scala sbt'),
  ...named('Haskell', 'hs lhs'),
  ...named('OCaml', 'ml mli'),
  ...named('Elixir', 'ex exs'),
  ...named('Erlang', 'erl hrl'),
  ...named('Clojure', 'clj cljs cljc edn'),
  ...named('Dart', 'dart'),
  ...named('Zig', 'zig'),
  ...named('R', 'r rmd'),
  ...named('Julia', 'jl'),
  ...named('Shell', 'sh bash zsh ksh fish'),
  ...named('PowerShell', 'ps1 psm1'),
  ...named('SQL', 'sql'),
  ...named('HTML', 'html htm xhtml'),
  ...named('CSS', 'css scss sass less styl'),
  ...named('Vue', 'vue'),
  ...named('Svelte', 'svelte'),
  ...named('Astro', 'astro'),
  ...named('Markdown', 'md mdx markdown'),
  ...named('reStructuredText', 'rst'),
  ...named('AsciiDoc', 'adoc asciidoc'),
  ...named('Text', 'txt'),
  ...named('JSON', 'json jsonc json5 webmanifest geojson'),
  ...named('YAML', 'yaml yml'),
  ...named('TOML', 'toml'),
  ...named('XML', 'xml xsd xsl plist'),
  ...named('SVG', 'svg'),
  ...named('CSV', 'csv tsv'),
  ...named('Protocol Buffers', 'proto'),
  ...named('GraphQL', 'graphql gql'),
  ...named('Terraform', 'tf tfvars hcl'),
  ...named('Nix', 'nix'),
  ...named('Assembly', 's asm'),
  ...named('Notebook', 'ipynb'),
});

const BY_NAME: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  makefile: 'Make',
  gnumakefile: 'Make',
  dockerfile: 'Docker',
  containerfile: 'Docker',
  rakefile: 'Ruby',
  gemfile: 'Ruby',
  jenkinsfile: 'Groovy',
  'cmakelists.txt': 'CMake',
});

function named(language: string, extensions: string): Record<string, string> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, language]));
}

/** Language of a file by its name; null for what is none (images, lock files, no extension). */
export function languageOf(key: string): string | null {
  return BY_NAME[baseName(key).toLowerCase()] ?? BY_EXTENSION[extensionOf(key)] ?? null;
}

const DATA_AND_PROSE = new Set(
  'Markdown reStructuredText AsciiDoc Text JSON YAML TOML XML SVG CSV Notebook'.split(' '),
);

/** What a repository is mostly written in: the largest that is neither data nor prose, when there is one. */
export function mainLanguage(largestFirst: readonly { name: string }[]): string | null {
  return (
    (largestFirst.find(({ name }) => !DATA_AND_PROSE.has(name)) ?? largestFirst[0])?.name ?? null
  );
}

const LOCK_FILE =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|flake\.lock|deno\.lock)$/;

/** Written by a package manager: neither work nor size of it say anything about the code. */
export function isLockFile(key: string): boolean {
  return LOCK_FILE.test(key);
}
