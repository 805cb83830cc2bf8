/**
 * The audit trail of one session: every tool call is recorded once, gated, ungated, refused, or to
 * `platform`. A call is written before it is forwarded, or it is refused; it is reported to the platform
 * until acknowledged. What a killed sidecar left is reported by the next one, and after the last one by the
 * worker.
 */
import type { Logger } from 'pino';
import type { AnswerFault } from '../../contract/answer-fault.ts';
import type { CallOutcome } from '../../contract/audit-event.ts';
import { type AuditSync, auditSpoolPath, readSpool } from '../../contract/audit-spool.ts';
import { type CallPayload, type StartedCall, storableText } from '../../contract/tool-call.ts';
import type { Metrics } from '../metrics.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { CallBook } from './call-book.ts';
import { jsonPrefix } from './json-prefix.ts';
import { createOpenCallReporter } from './open-calls.ts';
import { RefusalCounts } from './refusal-counts.ts';
import { createReporter } from './reporter.ts';
import { createSpoolFile, readSpoolFile } from './spool-file.ts';

export interface AuditedCall {
  callId: string;
  server: string;
  tool: string;
}

interface BegunCall {
  call: AuditedCall;
  args?: unknown;
}

/**
 * `recorded`: the call is in the spool and may go on. Otherwise it must not pass: its record cannot be
 * stored, or the session has made its max number of calls; it is then counted, by tool and minute.
 */
export type Admission = 'recorded' | 'audit_unavailable' | 'too_many_calls';

export interface AuditTrail {
  /** Whether it keeps arguments and results; without that nobody needs to hold them. */
  readonly keepsPayloads: boolean;
  /**
   * Records a call before it is forwarded; `args` are kept only where the workspace asks for payloads. A
   * promise only where the record has to wait for the disk.
   */
  started(call: AuditedCall, args?: unknown): Admission | Promise<Admission>;
  /** As `started`, for calls that are read together: one write for all of them. Answers in their order. */
  startedTogether(calls: readonly BegunCall[]): (Admission | Promise<Admission>)[];
  /** Counts a call beyond the rate limit, instead of recording it. */
  refusedBeyondLimit(call: Omit<AuditedCall, 'callId'>): Admission | Promise<Admission>;
  /** The gate decided on a started call now: its time counts from here, not from when its line was read. */
  decided(callId: string): void;
  /** The server of an open call said that it is at work on it. */
  progressed(callId: string): void;
  /**
   * Records how a started call ended. The first report of a call wins. `result` is kept only where `args`
   * are; `reason`: why its answer did not reach the agent.
   */
  finished(callId: string, outcome: CallOutcome, result?: unknown, reason?: AnswerFault): void;
  /** Records every call that is still open as `unknown` and reports what it can within the limit. */
  close(): Promise<void>;
}

export interface AuditTrailDependencies {
  api: Pick<PlatformApi, 'reportCalls' | 'reportRefusedCalls' | 'reportOpenCalls'>;
  metrics: Metrics;
  logger: Logger;
  /** Max open and unacknowledged calls; one more is refused. */
  capacity: { calls: number; bytes: number };
  /** Max recorded calls of the session, whichever sidecar recorded them; more are refused and counted. */
  sessionCalls: number;
  /** The gated tool that a name denotes or imitates: its refused calls are counted by its name. */
  gatedTool: (server: string, tool: string) => string | null;
  /** Keep arguments and results. */
  logPayloads: boolean;
  /** How long `close` tries to report the rest. */
  closeLimitMs: number;
  sync: AuditSync;
  /** Overrides the spool's place below the working directory. */
  spoolPath?: string;
}

const compactAtBytes = 256 * 1024;

/** Takes over what an earlier sidecar of the session left. Throws when that exists and cannot be read. */
export async function openAuditTrail(dependencies: AuditTrailDependencies): Promise<AuditTrail> {
  const { api, metrics, logger, logPayloads, closeLimitMs } = dependencies;
  const { book, counts, spool, isFirst } = await openSpool(dependencies);
  const reporter = createReporter(api, { book, counts }, logger);
  reporter.wake();
  const openCalls = createOpenCallReporter(api, book, { isFirst, logger });
  const now = createTimestamps();
  let closing = false;

  const finish: AuditTrail['finished'] = (callId, outcome, result, reason) => {
    const payload = logPayloads && result !== undefined ? { result: payloadOf(result) } : {};
    const ended = book.end(callId, { outcome, ...(reason === undefined ? {} : { reason }), ...payload });
    if (ended !== null) {
      metrics.count('tool_calls_total', { server: ended.call.server, outcome });
      spool.append(ended.record);
      reporter.wake();
    }
  };

  const refuse = (call: Omit<AuditedCall, 'callId'>, why: Admission): Admission | Promise<Admission> => {
    metrics.count('tool_calls_total', { server: call.server, outcome: 'refused' });
    const isKept = spool.commit(counts.add(call, 'refused', Date.now()));
    reporter.wake();
    return once(isKept, () => why);
  };

  const admit = (callId: string, isKept: boolean): Admission => {
    if (!isKept) {
      // The call is not forwarded; it may still be reported to the platform.
      finish(callId, 'refused');
    }
    return isKept && !closing ? 'recorded' : 'audit_unavailable';
  };

  const startedTogether: AuditTrail['startedTogether'] = (calls) => {
    if (closing) {
      return calls.map(() => 'audit_unavailable');
    }
    let records = '';
    const refusals = calls.map((begun) => {
      const why = obstacleTo(book, dependencies);
      records += why === null ? book.start(startOf(begun, now(), logPayloads)) : '';
      return why === null ? null : refuse(begun.call, why);
    });
    const isKept = records === '' || spool.commit(records);
    openCalls.wake();
    return calls.map(
      ({ call }, index) => refusals[index] ?? once(isKept, (isSafe) => admit(call.callId, isSafe)),
    );
  };

  return {
    keepsPayloads: logPayloads,
    refusedBeyondLimit: (call) => refuse(call, 'too_many_calls'),
    started: (call, args) => startedTogether([{ call, args }])[0] ?? 'audit_unavailable',
    startedTogether,
    decided: (callId) => book.restart(callId, now()),
    progressed: (callId) => book.progress(callId, now()),
    finished: finish,
    async close() {
      closing = true;
      for (const callId of book.openIds) {
        finish(callId, 'unknown');
      }
      await spool.settled();
      await Promise.all([reporter.finish(closeLimitMs), openCalls.finish(closeLimitMs)]);
      const isReported = book.count === 0 && counts.isEmpty;
      if (!isReported) {
        logger.warn({ unreported: book.count }, 'the spool keeps tool calls that were not reported');
      }
      await spool.close({ remove: isReported });
    },
  };
}

/** Why one more call cannot be recorded; null when it can. */
function obstacleTo(
  book: CallBook,
  { capacity, sessionCalls }: Pick<AuditTrailDependencies, 'capacity' | 'sessionCalls'>,
): Admission | null {
  if (book.begunCount >= sessionCalls) {
    return 'too_many_calls';
  }
  return book.count >= capacity.calls || book.bytes >= capacity.bytes ? 'audit_unavailable' : null;
}

function startOf(
  { call: { callId, server, tool }, args }: BegunCall,
  startedAt: string,
  logPayloads: boolean,
): StartedCall {
  return {
    call_id: callId,
    server,
    tool: storableText(tool),
    started_at: startedAt,
    ...(logPayloads && args !== undefined ? { arguments: payloadOf(args) } : {}),
  };
}

/** Without a promise where there is nothing to wait for. */
function once<Value, Result>(
  value: Value | Promise<Value>,
  then: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(then) : then(value);
}

/** The spool, and the part of it that the platform does not have yet. */
async function openSpool({ gatedTool, logger, sync, spoolPath = auditSpoolPath }: AuditTrailDependencies) {
  const book = new CallBook();
  const counts = new RefusalCounts(gatedTool);
  const left = readSpool(await readSpoolFile(spoolPath));
  book.addLeft(left.calls, left.reportedCalls);
  counts.addLeft(left.counts);
  const spool = createSpoolFile({
    path: spoolPath,
    sync,
    records: () => [...book.spooled(), ...counts.spooled()],
    compactAtBytes,
    onChange: (works, reason) =>
      works
        ? logger.info('the audit spool can be written again')
        : logger.error({ reason }, 'the audit spool cannot be written: calls are refused'),
  });
  if (left.calls.length > 0 || left.damagedLines > 0) {
    logger.info({ calls: left.calls.length, damaged: left.damagedLines }, 'took over the audit spool');
  }
  return { book, counts, spool, isFirst: book.begunCount === 0 };
}

const payloadLimitBytes = 16 * 1024;

/** A value that was read from JSON, as JSON text cut after 16 KiB; the rest is never serialized. */
export function payloadOf(value: unknown): CallPayload {
  const bytes = Buffer.from(jsonPrefix(value, payloadLimitBytes));
  return {
    json: bytes.toString('utf8', 0, payloadLimitBytes),
    truncated: bytes.length > payloadLimitBytes,
  };
}

/**
 * Returns a function for the current time as ISO text, which formats it once a millisecond: a busy session
 * asks far more often.
 */
function createTimestamps(nowMs: () => number = Date.now): () => string {
  let formattedMs = Number.NaN;
  let text = '';
  return () => {
    const atMs = nowMs();
    if (atMs !== formattedMs) {
      formattedMs = atMs;
      text = new Date(atMs).toISOString();
    }
    return text;
  };
}
