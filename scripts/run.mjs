import { spawn } from 'node:child_process';
import { repository } from './paths.mjs';

/**
 * Runs a program to its end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{env?: NodeJS.ProcessEnv, cwd?: string, output?: 'show' | 'keep'}} [options]
 *   `show` gives the program this terminal, `keep` collects stdout and stderr in the order they came.
 * @returns {Promise<{ok: boolean, code: number, output: string}>} code 127: could not be started; 128+n: ended by signal.
 */
export function run(program, args, options = {}) {
  const keep = options.output === 'keep';
  return new Promise((resolve) => {
    const chunks = [];
    const child = spawn(program, args, {
      cwd: options.cwd ?? repository,
      env: options.env ?? process.env,
      stdio: keep ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    const end = (code, text = '') => {
      resolve({ ok: code === 0, code, output: Buffer.concat(chunks).toString('utf8') + text });
    };
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => end(127, `${program} could not be started: ${error.message}\n`));
    child.on('close', (code) => end(code ?? 128));
  });
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
