/**
 * `node --import tsx bench/audit.ts`: what recording each call first adds to it, compared with the disk's own
 * time for the same write, measured in turns in one run.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import type { AuditSync } from '../contract/audit-spool.ts';
import { type AuditTrail, openAuditTrail } from '../sidecar/audit/audit-trail.ts';
import { createMetrics } from '../sidecar/metrics.ts';
import {
  inTurns,
  machineLine,
  median,
  orUsage,
  quantile,
  ratioOf,
  ratioText,
  table,
  whole,
} from './shared/harness.ts';

const usage = `node --import tsx bench/audit.ts [--calls N] [--directory PATH]

Measures, with one call at a time and with 64 in flight, in turns:
  trail      from a call to "may pass": its record is written, and on disk within 100 ms; ended calls are reported to a platform that takes all
  each call  the same with AUDIT_SYNC=each-call: its record is on disk
  disk       the same bytes appended to a file and one fdatasync, by one caller at a time

  --calls N          calls of each in one turn, 64 or more (default 2000; 10 turns)
  --directory PATH   where the files are: the figures are those of its disk (default: the system's temporary directory)
`;

const { calls, parent } = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '2000' },
      directory: { type: 'string', default: tmpdir() },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values.help ? 'help' : { calls: whole('--calls', values.calls, 64), parent: values.directory };
});
const turns = 10;
const recordBytes = 220;

/** Latencies of `calls` runs of `once`, `inFlight` at a time, and their throughput per second. */
async function measure(once: () => Promise<void>, inFlight: number) {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const worker = async () => {
    while (latenciesMs.length + inFlight <= calls) {
      const from = performance.now();
      await once();
      latenciesMs.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { latenciesMs, perSecond: (latenciesMs.length / (performance.now() - startedAt)) * 1000 };
}

const directory = mkdtempSync(join(parent, 'bench-audit-'));
const openTrail = (sync: AuditSync) =>
  openAuditTrail({
    api: {
      reportCalls: async () => undefined,
      reportRefusedCalls: async () => undefined,
      reportOpenCalls: async () => undefined,
    },
    sessionCalls: Number.POSITIVE_INFINITY,
    gatedTool: () => null,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    capacity: { calls: 1_000_000, bytes: 2 ** 30 },
    logPayloads: false,
    closeLimitMs: 5000,
    sync,
    spoolPath: join(directory, sync, 'calls'),
  });
const trails = { written: await openTrail('within-100-ms'), onDisk: await openTrail('each-call') };
const file = openSync(join(directory, 'plain'), 'w');
const record = Buffer.alloc(recordBytes, 65);

const through = (trail: AuditTrail) => async (): Promise<void> => {
  const callId = randomUUID();
  if ((await trail.started({ callId, server: 'files', tool: 'read_file' })) !== 'recorded') {
    throw new Error('the trail refused a call');
  }
  trail.finished(callId, 'ok');
};
function toDisk(): Promise<void> {
  writeSync(file, record);
  return new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())));
}

const variants = [
  { name: 'disk, one at a time', once: toDisk, inFlight: 1 },
  { name: 'trail, one at a time', once: through(trails.written), inFlight: 1 },
  { name: 'trail, 64 in flight', once: through(trails.written), inFlight: 64 },
  { name: 'each call, one at a time', once: through(trails.onDisk), inFlight: 1 },
  { name: 'each call, 64 in flight', once: through(trails.onDisk), inFlight: 64 },
];
const samples = await inTurns(
  { turns, warmUps: 1 },
  variants.map(
    ({ once, inFlight }) =>
      () =>
        measure(once, inFlight),
  ),
);
await Promise.all([trails.written.close(), trails.onDisk.close()]);
closeSync(file);
rmSync(directory, { recursive: true });

/** The median of each turn: what is compared turn by turn. */
const medians = samples.map((turnsOf) => turnsOf.map(({ latenciesMs }) => median(latenciesMs)));
const rows = variants.map(({ name }, index) => {
  const latenciesMs = samples[index]?.flatMap((turn) => turn.latenciesMs) ?? [];
  const perSecond = samples[index]?.map((turn) => turn.perSecond) ?? [];
  return [
    name,
    ...[0.5, 0.99].map((share) => `${Math.round(quantile(latenciesMs, share) * 1000)} µs`),
    Math.round(median(perSecond)).toLocaleString('en'),
    ratioText(ratioOf(medians[index] ?? [], medians[0] ?? [])),
  ];
});
console.log(table([['', 'p50', 'p99', 'calls a second', 'p50 beside the disk'], ...rows]));
console.log(`\n${machineLine()}`);
