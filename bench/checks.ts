/** `node --import tsx bench/checks.ts`: what the check of a gated call costs, with the real API and a real Postgres. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { internalToken } from '../contract/session-keys.ts';
import { type BenchDatabase, openBenchDatabase } from './checks/database.ts';
import { measureStatements, type StatementResult } from './checks/statements.ts';
import { cpuMs } from './gate/process-figures.ts';
import { Processes } from './gate/processes.ts';
import { gatedTool, startSidecar } from './gate/sidecar.ts';
import { median } from './gate/statistics.ts';
import { firstLineOf } from './gate/wait.ts';

const usage = `node --import tsx bench/checks.ts [options]     (after node scripts/build.mjs)

Measures in turns, with a Postgres of its own whose writes are synced:
  gated call  a client with 64 calls in flight on one connection to the sidecar, each of a gated tool that a standing grant covers;
              the sidecar asks the platform's API, which decides in Postgres
  bare        64 connections to a node:http server that runs the prepared statement of one check and does nothing else
  statements  the store's checks beside the same prepared statements on the driver's pool, 16 at a time

  --seconds N        measured for each figure (default 10)
  --sidecar FILE     another build of the sidecar (default dist/sidecar.js)
  --directory PATH   where database and spool are: their disk is part of the figures (default the system's temporary directory)
  --check            exits with 1 when an aim is missed
`;

const inFlight = 64;
const turnMs = 500;
const warmUpTurns = 3;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    sidecar: { type: 'string', default: 'dist/sidecar.js' },
    directory: { type: 'string', default: tmpdir() },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const seconds = Number(values.seconds);
if (values.help || !(seconds > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const program = (name: string) => [
  process.execPath,
  '--import',
  'tsx',
  new URL(`checks/${name}.ts`, import.meta.url).pathname,
];

interface Calls {
  gatedPerSecond: number;
  barePerSecond: number;
  /** The median of the ratios of turns that followed each other. */
  ratio: number;
  /** Processor time for one gated call. */
  cpuMs: { sidecar: number; api: number; postgres: number };
}

async function measureCalls(
  processes: Processes,
  { url, sessionId, postgres }: BenchDatabase,
  directory: string,
): Promise<Calls> {
  const seed = randomBytes(32);
  const api = processes.start([...program('api'), url, seed.toString('base64')]);
  const sidecar = await startSidecar(processes, resolve(values.sidecar), join(directory, 'session'), {
    api_url: `http://127.0.0.1:${await firstLineOf(api)}`,
    session_id: sessionId,
    internal_token: internalToken(seed, sessionId),
  });
  const load = await processes.startLoadGenerator();
  await load.open('sidecar', sidecar.transport, sidecar.address);
  const barePort = await firstLineOf(processes.start([...program('bare-server'), url, sessionId]));
  const { server, tool } = gatedTool;
  const bareLoad = processes.start([...program('http-load'), barePort, server, tool, String(inFlight)]);
  const lines = bareLoad.stdout && createInterface({ input: bareLoad.stdout });
  const measureBare = async () => {
    bareLoad.stdin?.write(`${turnMs}\n`);
    const [line] = lines ? await once(lines, 'line') : [];
    return Number(line);
  };
  const cpuNow = () => ({
    sidecar: cpuMs(sidecar.pid ?? 0, false),
    api: cpuMs(api.pid ?? 0, false),
    postgres: cpuMs(postgres.process.pid, true),
  });
  const rates: { gated: number; bare: number }[] = [];
  const cpu = { sidecar: 0, api: 0, postgres: 0 };
  let calls = 0;
  for (let turn = -warmUpTurns; turn < (seconds * 1000) / turnMs; turn += 1) {
    const before = cpuNow();
    const sample = await load.measure({
      ...{ client: 'sidecar', kind: 'gated call', sizeBytes: 300, inFlight, durationMs: turnMs },
    });
    const after = cpuNow();
    const bare = await measureBare();
    if (turn >= 0) {
      rates.push({ gated: sample.perSecond, bare });
      calls += sample.latenciesMs.length;
      for (const name of ['sidecar', 'api', 'postgres'] as const) {
        cpu[name] += after[name] - before[name];
      }
    }
  }
  return {
    gatedPerSecond: median(rates.map(({ gated }) => gated)),
    barePerSecond: median(rates.map(({ bare }) => bare)),
    ratio: median(rates.map(({ gated, bare }) => gated / bare)),
    cpuMs: { sidecar: cpu.sidecar / calls, api: cpu.api / calls, postgres: cpu.postgres / calls },
  };
}

/** Prints figures and aims; returns whether all aims are met. */
function report(calls: Calls, statements: readonly StatementResult[]): boolean {
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`;
  const microseconds = (ms: number) => `${Math.round(ms * 1000)} µs`;
  const { cpuMs: cpu } = calls;
  console.log(
    `gated call, ${inFlight} in flight: ${perSecond(calls.gatedPerSecond)}; processor time for each: sidecar ${microseconds(cpu.sidecar)}, API ${microseconds(cpu.api)}, Postgres ${microseconds(cpu.postgres)}`,
  );
  console.log(`bare node:http with the statement: ${perSecond(calls.barePerSecond)}`);
  for (const { statement, raw, store } of statements) {
    console.log(`${statement}: ${perSecond(store)} through the store, ${perSecond(raw)} on the driver`);
  }
  const aims = [
    { aim: 'gated calls a second, at least 5,000', reached: calls.gatedPerSecond, atLeast: 5000 },
    { aim: 'gated calls beside the bare server, at least 0.65', reached: calls.ratio, atLeast: 0.65 },
    ...statements.map(({ statement, ratio }) => ({
      aim: `${statement} beside the driver, at least 0.90`,
      reached: ratio,
      atLeast: 0.9,
    })),
  ];
  console.log();
  for (const { aim, reached, atLeast } of aims) {
    const figure = reached < 100 ? reached.toFixed(2) : Math.round(reached).toLocaleString('en');
    console.log(`${aim.padEnd(52)} ${figure.padStart(7)}  ${reached >= atLeast ? 'met' : 'MISSED'}`);
  }
  return aims.every(({ reached, atLeast }) => reached >= atLeast);
}

const directory = mkdtempSync(join(values.directory, 'bc-'));
const processes = new Processes(null);
const database = await openBenchDatabase(join(directory, 'postgres'));
const cleanUp = async () => {
  await processes.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
};
process.once('SIGINT', () => void cleanUp().then(() => process.exit(130)));
let allMet = false;
try {
  const calls = await measureCalls(processes, database, directory);
  allMet = report(calls, await measureStatements(database, turnMs / 2));
} finally {
  await cleanUp();
}
process.exit(values.check && !allMet ? 1 : 0);
