import { spawn } from 'node:child_process';
import { repository } from './paths.mjs';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{env?: NodeJS.ProcessEnv, cwd?: string, output?: 'show' | 'keep', limitMs?: number}} [options]
 *   `show` gives the program this terminal, `keep` collects stdout and stderr in the order they came. After `limitMs`
 *   it is killed with everything in its process group.
 * @returns {Promise<{ok: boolean, code: number, output: string, timedOut: boolean}>} code 127: could not be started; 128+n: ended by signal.
 */
export function run(
  program,
  args,
  { env = process.env, cwd = repository, output = 'show', limitMs } = {},
) {
  const keep = output === 'keep';
  const ownGroup = limitMs !== undefined;
  return new Promise((resolve) => {
    const chunks = [];
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: keep ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      detached: ownGroup,
    });
    let timedOut = false;
    const timer =
      ownGroup &&
      setTimeout(() => {
        timedOut = true;
        endGroup(child, 'SIGKILL');
      }, limitMs);
    // A group of its own does not get the terminal's Ctrl-C.
    const passOn = (signal) => endGroup(child, signal);
    if (ownGroup) for (const signal of PASSED_ON) process.on(signal, passOn);
    const end = (code, text = '') => {
      clearTimeout(timer);
      for (const signal of PASSED_ON) process.off(signal, passOn);
      const said = Buffer.concat(chunks).toString('utf8') + text;
      resolve({ ok: code === 0, code, output: said, timedOut });
    };
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => end(127, `${program} could not be started: ${error.message}\n`));
    child.on('close', (code) => end(code ?? 128));
  });
}

function endGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // gone in the meantime: nothing is left to end
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Runs a JavaScript program of a package in node_modules with this Node.
 *
 * @param {string} file path from the repository, such as `node_modules/typescript/bin/tsc`
 */
export function runNode(file, args, options) {
  return run(process.execPath, [file, ...args], options);
}

/** @returns {string} the last `count` lines that are not empty. */
export function lastLines(text, count) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}
