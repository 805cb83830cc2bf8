/**
 * The spool of a session's tool calls on disk: written by the sidecar, read by the next sidecar of the
 * session or, when there is none, by the process that removes the session's directory. One record per line,
 * `<checksum> <JSON>`: a record truncated by a crash or a full disk is detected, and every other record can
 * still be read. Zeros may follow the last record. Pure: others read and write the file.
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { timestamp } from './names.ts';
import {
  type CallEnd,
  type CallRecord,
  callEnd,
  type RefusedCallCount,
  refusedCallCount,
  type StartedCall,
  startedCall,
} from './tool-call.ts';

/** Below the session's directory, not mounted into any container. */
export const auditSpoolPath = 'audit/calls';

/**
 * When the record of a call is on disk. It is always written before the call is forwarded, so that it
 * survives the death of any process; `each-call`: the call also waits for the disk, so that its record
 * survives the death of the machine.
 */
export const auditSync = z.enum(['within-100-ms', 'each-call']);
export type AuditSync = z.infer<typeof auditSync>;

const spoolRecord = z.discriminatedUnion('kind', [
  startedCall.extend({ kind: z.literal('started') }),
  // The time of the gate's decision, in place of the one at which the line was read.
  callEnd.extend({ kind: z.literal('ended'), call_id: z.string(), started_at: timestamp.optional() }),
  // Calls beyond a limit so far; a later record of the same count supersedes it.
  refusedCallCount.extend({ kind: z.literal('counted') }),
  // How many calls of the session have no record here any more: the platform has them.
  z.object({ kind: z.literal('reported'), calls: z.int().nonnegative() }),
]);
export type SpoolRecord = z.infer<typeof spoolRecord>;

export interface SpooledCalls {
  /**
   * Every call whose start is on record, in the order of their starts. One without an end
   * is `unknown`, after 0 ms.
   */
  calls: CallRecord[];
  /** Calls that were refused beyond a limit. */
  counts: RefusedCallCount[];
  /** How many calls of the session were recorded before, and are reported. */
  reportedCalls: number;
  /** Invalid lines: at most the last one, unless the disk itself failed. */
  damagedLines: number;
}

const checksumLength = 16;

export function encodeSpoolRecord(record: SpoolRecord): string {
  return record.kind === 'started'
    ? encodeStart(record)
    : record.kind === 'ended'
      ? encodeEnd(record, record.started_at)
      : withChecksum(JSON.stringify(record));
}

// Every call has these two records: written member by member they take a fifth of the
// time of `JSON.stringify`.

/** The record of a call that starts. */
export function encodeStart({ call_id, server, tool, started_at, arguments: args }: StartedCall): string {
  const payload = args === undefined ? '' : `,"arguments":${JSON.stringify(args)}`;
  return withChecksum(
    `{"kind":"started","call_id":"${call_id}","server":${JSON.stringify(server)},"tool":${JSON.stringify(tool)},"started_at":"${started_at}"${payload}}`,
  );
}

/**
 * The record of a call's end. `startedAt`: set when it is another time than that of the record of the start.
 */
export function encodeEnd(
  { call_id, duration_ms, outcome, reason, result }: CallEnd & Pick<StartedCall, 'call_id'>,
  startedAt?: string,
): string {
  const restarted = startedAt === undefined ? '' : `,"started_at":"${startedAt}"`;
  const why = reason === undefined ? '' : `,"reason":"${reason}"`;
  const payload = result === undefined ? '' : `,"result":${JSON.stringify(result)}`;
  return withChecksum(
    `{"kind":"ended","call_id":"${call_id}","duration_ms":${duration_ms},"outcome":"${outcome}"${why}${restarted}${payload}}`,
  );
}

const withChecksum = (json: string) => `${checksum(json)} ${json}\n`;

/** Reads whatever is there; never throws. */
export function readSpool(bytes: Buffer): SpooledCalls {
  const calls = new Map<string, CallRecord>();
  const counts = new Map<string, RefusedCallCount>();
  let reportedCalls = 0;
  let damagedLines = 0;
  const lines = withoutRoom(bytes).toString('utf8').split('\n');
  // What follows the last line feed is a record that was never finished, or nothing.
  const unfinished = lines.pop();
  for (const line of lines) {
    const record = decode(line);
    if (record === null) {
      damagedLines += 1;
    } else if (record.kind === 'started') {
      addStart(calls, record);
    } else if (record.kind === 'counted') {
      addCount(counts, record);
    } else if (record.kind === 'reported') {
      reportedCalls = record.calls;
    } else {
      addEnd(calls, record);
    }
  }
  return {
    calls: [...calls.values()],
    counts: [...counts.values()],
    reportedCalls,
    damagedLines: damagedLines + (unfinished === '' ? 0 : 1),
  };
}

/** Strips the zeros that the file is preallocated with. */
function withoutRoom(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) {
    end -= 1;
  }
  return bytes.subarray(0, end);
}

function addStart(calls: Map<string, CallRecord>, record: SpoolRecord & { kind: 'started' }): void {
  if (!calls.has(record.call_id)) {
    calls.set(record.call_id, { ...startOf(record), duration_ms: 0, outcome: 'unknown' });
  }
}

function addCount(counts: Map<string, RefusedCallCount>, record: SpoolRecord & { kind: 'counted' }): void {
  const { kind: _, ...count } = record;
  if (count.count > (counts.get(count.count_id)?.count ?? 0)) {
    counts.set(count.count_id, count);
  }
}

function addEnd(calls: Map<string, CallRecord>, record: SpoolRecord & { kind: 'ended' }): void {
  const { kind: _, started_at, ...end } = record;
  const call = calls.get(record.call_id);
  if (call !== undefined) {
    calls.set(record.call_id, { ...call, ...end, started_at: started_at ?? call.started_at });
  }
}

function startOf({ kind: _, ...start }: SpoolRecord & { kind: 'started' }): StartedCall {
  return start;
}

function decode(line: string): SpoolRecord | null {
  const json = line.slice(checksumLength + 1);
  if (line.slice(0, checksumLength + 1) !== `${checksum(json)} `) {
    return null;
  }
  try {
    return spoolRecord.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

function checksum(json: string): string {
  return hash('sha256', json).slice(0, checksumLength);
}
