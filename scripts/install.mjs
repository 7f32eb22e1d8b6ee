import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOnPath } from './executable.mjs';
import { repository } from './paths.mjs';
import { lastLines, run } from './run.mjs';

const LOCK = join(repository, 'package-lock.json');
/** Written by npm when an install is complete. */
const INSTALLED = join(repository, 'node_modules', '.package-lock.json');
/** Written by us after an install that we have checked; npm removes it with node_modules. */
const STAMP = join(repository, 'node_modules', '.uncaged-install.json');
/** As `engines` in package.json says: the first 20 that loads ES modules from CommonJS, which packages count on. */
const NODE_MIN = [20, 19];
/** A person who sees nothing for longer than this thinks it hangs. */
const STILL_THERE_MS = 20_000;

/**
 * Installs what package-lock.json names, if that has not been done for this lock file and this Node.
 * Ends the process with a message when it cannot.
 */
export async function ensureInstalled() {
  refuseOldNode();
  const wanted = stampText();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  rmSync(STAMP, { force: true });
  if (!((await isInstalledByHand()) && (await nativeBinding()).ok)) await install();
  writeFileSync(STAMP, wanted);
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  console.error(
    `error: this is Node ${process.version}; ${NODE_MIN.join('.')} or newer is needed.`,
  );
  process.exit(1);
}

/** The lock file and what a compiled package depends on. */
function stampText() {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  return `${JSON.stringify({ lock, abi: process.versions.modules, platform: process.platform, arch: process.arch })}\n`;
}

/** `npm install` or `npm ci` typed by a person is as good as ours when every package has the version of the lock file. */
async function isInstalledByHand() {
  if (!existsSync(INSTALLED) || !existsSync(join(repository, 'node_modules', '.bin', 'uwf')))
    return false;
  const installed = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
  const locked = Object.entries(JSON.parse(readFileSync(LOCK, 'utf8')).packages);
  return locked.every(
    ([path, entry]) =>
      !path.includes('node_modules/') ||
      entry.optional === true ||
      entry.link === true ||
      installed[path]?.version === entry.version,
  );
}

async function install() {
  console.log(
    'Installing dependencies (npm ci). The first time takes one to three minutes: where no',
  );
  console.log('prebuilt SQLite can be fetched for this Node, it is compiled.');
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const timer = setInterval(
    () => console.log(`  still installing (${seconds()} s)`),
    STILL_THERE_MS,
  );
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const result = await runNpm(args, { output: 'keep', env: installEnvironment() });
  clearInterval(timer);
  if (!result.ok) fail(result.output);
  const binding = await nativeBinding();
  if (!binding.ok) fail(binding.output);
  console.log(`Installed in ${seconds()} s.`);
}

/** npm says where it is when it runs us; otherwise the one on the PATH. */
function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) return run(process.execPath, [npm, ...args], options);
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}

/** Headers that came with this Node save a compile from downloading them. */
function installEnvironment() {
  const prefix = dirname(dirname(process.execPath));
  const here = existsSync(join(prefix, 'include', 'node', 'node.h'));
  return here ? { npm_config_nodedir: prefix, ...process.env } : process.env;
}

/** better-sqlite3 is the one package with a compiled part that has to be loaded. */
function nativeBinding() {
  const script = "const open = require('better-sqlite3'); open(':memory:').close();";
  return run(process.execPath, ['-e', script], { output: 'keep' });
}

function fail(output) {
  console.error(`\n${lastLines(output, 15)}\n`);
  if (/better-sqlite3|better_sqlite3|node-gyp|gyp ERR/.test(output)) explainCompiler();
  else
    console.error(
      'error: the dependencies could not be installed; npm says why above. Then run this command again.',
    );
  process.exit(1);
}

function explainCompiler() {
  const missing = [
    ['python3', ['python3', 'python']],
    ['make', ['make', 'gmake']],
    ['g++', ['g++', 'c++', 'clang++']],
  ].filter(([, names]) => findOnPath(names) === null);
  const why =
    missing.length > 0 ? `: missing ${missing.map(([name]) => name).join(', ')}` : '; see above';
  console.error(
    `error: better-sqlite3, which holds the database, has no prebuilt binary for this system and`,
  );
  console.error(`Node ${process.version}, and could not be compiled here${why}.`);
  console.error('Install python3, make and g++, then run this command again:');
  console.error('  Debian, Ubuntu   apt-get install -y python3 make g++');
  console.error('  Fedora           dnf install -y python3 make gcc-c++');
  console.error('  Alpine           apk add python3 make g++');
  console.error('  macOS            xcode-select --install');
}
