/**
 * `node --import tsx bench/checks.ts`: what the check of a gated call costs, with the real
 * API and a real Postgres.
 */
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
import { firstLineOf } from './gate/wait.ts';
import {
  aimsTable,
  atLeast,
  conclude,
  inTurns,
  machineLine,
  median,
  orUsage,
  positive,
  type Ratio,
  ratioOf,
  ratioText,
} from './shared/harness.ts';

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

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      sidecar: { type: 'string', default: 'dist/sidecar.js' },
      directory: { type: 'string', default: tmpdir() },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values.help ? 'help' : { ...values, seconds: positive('--seconds', values.seconds) };
});

const program = (name: string) => [
  process.execPath,
  '--import',
  'tsx',
  new URL(`checks/${name}.ts`, import.meta.url).pathname,
];

interface Calls {
  gatedPerSecond: number;
  barePerSecond: number;
  ratio: Ratio;
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
  const sidecar = await startSidecar(processes, resolve(options.sidecar), join(directory, 'session'), {
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
  const cpu = { sidecar: 0, api: 0, postgres: 0 };
  let calls = 0;
  const measureGated = async (turn: number) => {
    const before = cpuNow();
    const sample = await load.measure({
      ...{ client: 'sidecar', kind: 'gated call', sizeBytes: 300, inFlight, durationMs: turnMs },
    });
    const after = cpuNow();
    if (turn >= 0) {
      calls += sample.latenciesMs.length;
      for (const name of ['sidecar', 'api', 'postgres'] as const) {
        cpu[name] += after[name] - before[name];
      }
    }
    return sample.perSecond;
  };
  const turns = Math.ceil((options.seconds * 1000) / turnMs);
  const [gated = [], bare = []] = await inTurns({ turns, warmUps: warmUpTurns }, [measureGated, measureBare]);
  return {
    gatedPerSecond: median(gated),
    barePerSecond: median(bare),
    ratio: ratioOf(gated, bare),
    cpuMs: { sidecar: cpu.sidecar / calls, api: cpu.api / calls, postgres: cpu.postgres / calls },
  };
}

/** Prints figures and aims, which it returns. */
function report(calls: Calls, statements: readonly StatementResult[]) {
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`;
  const microseconds = (ms: number) => `${Math.round(ms * 1000)} µs`;
  const { cpuMs: cpu } = calls;
  console.log(
    `gated call, ${inFlight} in flight: ${perSecond(calls.gatedPerSecond)}; processor time for each: sidecar ${microseconds(cpu.sidecar)}, API ${microseconds(cpu.api)}, Postgres ${microseconds(cpu.postgres)}`,
  );
  console.log(
    `bare node:http with the statement: ${perSecond(calls.barePerSecond)}; gated beside it: ${ratioText(calls.ratio)}`,
  );
  for (const { statement, raw, store, ratio } of statements) {
    console.log(
      `${statement}: ${perSecond(store)} through the store, ${perSecond(raw)} on the driver: ${ratioText(ratio)}`,
    );
  }
  const aims = [
    atLeast('gated calls a second', 5000, calls.gatedPerSecond),
    atLeast('gated calls beside the bare server', 0.65, calls.ratio.median),
    ...statements.map(({ statement, ratio }) => atLeast(`${statement} beside the driver`, 0.9, ratio.median)),
  ];
  console.log(`\n${aimsTable(aims)}\n\n${machineLine()}`);
  return { figures: { calls, statements, aims }, aims };
}

const directory = mkdtempSync(join(options.directory, 'bc-'));
const processes = new Processes(null);
const database = await openBenchDatabase(join(directory, 'postgres'));
const cleanUp = async () => {
  await processes.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
};
process.once('SIGINT', () => void cleanUp().then(() => process.exit(130)));
let results: ReturnType<typeof report>;
try {
  const calls = await measureCalls(processes, database, directory);
  results = report(calls, await measureStatements(database, turnMs / 2));
} finally {
  await cleanUp();
}
process.exit(conclude(options, results));
