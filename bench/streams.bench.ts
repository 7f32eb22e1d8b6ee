import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { uwf, withStorage } from './command.js';
import { type Bench, type Measured, runProgram } from './measure.js';
import { type Place, residentBytes, startLinked, startProxied } from './programs.js';

const MIB = 1024 * 1024;
const BODY_MIB = 256;
const MS_PER_SECOND = 1000;
const SAMPLE_EVERY_MS = 20;
const FOLLOWERS = 500;
const EVENTS = 9;

/** A thread whose one step says 256 MiB; its state's hash is kept in a file. */
async function prepareBody(folder: string): Promise<void> {
  const place = { cwd: folder, env: withStorage(join(folder, 'storage')) };
  const script = `head -c ${BODY_MIB * MIB} /dev/zero | tr '\\0' x`;
  writeFileSync(
    join(folder, 'big.yaml'),
    JSON.stringify({
      name: 'big',
      roles: { work: { description: 'says much', run: script } },
      graph: {
        $START: { _: { role: 'work', prompt: 'work' } },
        work: { ok: { role: '$END', prompt: 'ended' } },
      },
    }),
  );
  const { threadId } = JSON.parse(runProgram(uwf('run', './big.yaml', '--json'), place));
  runProgram(uwf('live', threadId, '--json'), place);
  const { items } = JSON.parse(runProgram(uwf('step', 'list', threadId, '--json'), place));
  writeFileSync(join(folder, 'hash'), items[0].hash);
}

function readHash(folder: string): string {
  return readFileSync(join(folder, 'hash'), 'utf8');
}

async function transfer(place: Place, hash: string): Promise<Measured> {
  try {
    const path = `${place.prefix}/steps/${hash}/content`;
    await download(place, path);
    const before = Object.values(place.pids).map(residentBytes);
    const peaks = [...before];
    const timer = setInterval(() => {
      for (const [at, pid] of Object.values(place.pids).entries())
        peaks[at] = Math.max(peaks[at]!, residentBytes(pid));
    }, SAMPLE_EVERY_MS);
    const samples = [];
    for (let n = 0; n < 2; n++) samples.push(await download(place, path));
    clearInterval(timer);
    const grown = Object.keys(place.pids).map(
      (name, at) => `${name} ${((peaks[at]! - before[at]!) / MIB).toFixed(0)} MiB`,
    );
    return { samples, note: `memory grew by: ${grown.join(', ')}` };
  } finally {
    await place.end();
  }
}

/** MiB per second. */
function download({ port, headers }: Place, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    get({ host: '127.0.0.1', port, path, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200 || bytes !== BODY_MIB * MIB)
          reject(new Error(`${path} gave ${response.statusCode} and ${bytes} bytes`));
        else resolve((BODY_MIB * MS_PER_SECOND) / (performance.now() - started));
      });
    }).on('error', reject);
  });
}

/** From the request that causes an event until the last of so many followers has it, ms. */
async function untilLast(folder: string, followers: number): Promise<Measured> {
  const place = await startLinked(folder);
  try {
    const heard = { count: 0, all: () => {} };
    const streams = await Promise.all(
      Array.from({ length: followers }, () =>
        follow(place, () => {
          heard.count += 1;
          if (heard.count === followers) heard.all();
        }),
      ),
    );
    const samples = [];
    for (let n = 0; n < EVENTS; n++) {
      heard.count = 0;
      const told = new Promise<void>((resolve) => {
        heard.all = resolve;
      });
      const started = performance.now();
      await changeWorkflow(place, n);
      await told;
      samples.push(performance.now() - started);
    }
    for (const end of streams) end();
    return { samples };
  } finally {
    await place.end();
  }
}

function follow({ port, headers }: Place, onChange: () => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const path = '/api/events';
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} gave ${response.statusCode}`));
      let text = '';
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('event: snapshot')) resolve(() => request.destroy());
        if (!/event: workflow\.changed\n[\s\S]*?\n\n/.test(text)) return;
        text = '';
        onChange();
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}

async function changeWorkflow({ port, headers, prefix }: Place, n: number): Promise<void> {
  const source = JSON.stringify({
    name: 'changing',
    description: `for the ${n}th time at ${Date.now()}`,
    roles: { work: { description: 'works', run: 'true' } },
    graph: {
      $START: { _: { role: 'work', prompt: 'work' } },
      work: { ok: { role: '$END', prompt: 'ended' } },
    },
  });
  const response = await fetch(`http://127.0.0.1:${port}${prefix}/workflows`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ source }),
  });
  if (!response.ok) throw new Error(`a workflow was not taken: ${await response.text()}`);
}

export const benches: Bench[] = [
  {
    id: 'P5',
    what: `a text of ${BODY_MIB} MiB through gateway and link`,
    unit: 'MiB/s',
    target: { atLeast: 0.45 },
    baseline: {
      what: 'the same app behind a plain reverse proxy',
      run: async (folder) => transfer(await startProxied(folder), readHash(folder)),
    },
    subject: async (folder) => transfer(await startLinked(folder), readHash(folder)),
    prepare: prepareBody,
    notMeasured: 'a network between the machines; TLS',
  },
  {
    id: 'P13',
    what: `an event until the last of ${FOLLOWERS} followers has it`,
    unit: 'ms',
    target: { atMost: 20 },
    baseline: { what: 'one follower', run: (folder) => untilLast(folder, 1) },
    subject: (folder) => untilLast(folder, FOLLOWERS),
    notMeasured:
      'the followers are one process, which takes part of the time; both include the request that causes the event, and up to 25 ms until the node looks',
  },
];
