import { spawn } from 'node:child_process';

/** A program that does not end when it is told to is ended after this time. */
const STOP_MAX_MS = 10_000;
/** What is kept of what it says on stderr, characters. */
const KEPT_MAX = 16_384;

/**
 * Starts a program of ours with this Node, in a process group of its own: Ctrl-C on the terminal is for whoever started it.
 *
 * @param {readonly string[]} args the program's file and its arguments
 * @param {{env: NodeJS.ProcessEnv, cwd?: string, show?: boolean}} options `show`: its output goes to this terminal
 * @returns {{firstLine: Promise<string>, ended: Promise<{code: number, stderr: string}>, stop: () => Promise<{code: number, stderr: string}>}}
 */
export function startProgram(args, { env, cwd, show = false }) {
  const child = spawn(process.execPath, args, {
    env,
    cwd,
    detached: true,
    stdio: show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-KEPT_MAX);
  });
  const firstLine = new Promise((resolve) => {
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said = (said + chunk).slice(0, KEPT_MAX);
      const end = said.indexOf('\n');
      if (end >= 0) resolve(said.slice(0, end));
    });
  });
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 127, stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 128, stderr }));
  });
  return {
    firstLine,
    ended,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS);
      const result = await ended;
      clearTimeout(timer);
      return result;
    },
  };
}
