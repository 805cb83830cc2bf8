/** Reports the state of the session's processes to the platform, throttled for each. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ProcessReport } from '../../contract/session-process.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal } from '../platform-api/request.ts';
import type { TrackedProcess } from './tracked-process.ts';

export interface ProcessReporter {
  /** Something of the process has changed; `isUrgent`: more than its output. */
  changed(process: TrackedProcess, isUrgent: boolean): void;
  /** Stops periodic reporting, and reports the rest until the timeout. */
  finish(timeLimitMs: number): Promise<void>;
}

const urgentPauseMs = 300;
/**
 * Burst of immediate reports per process; from then on as rarely as its output, since it may
 * change arbitrarily often.
 */
const mostUrgent = 20;
const outputPauseMs = 5000;
const retryMs = 1000;
const tooManyRequests = 429;
const reportLimitMs = 15_000;

interface Pending {
  /** The earliest time of its next report. */
  atMs: number;
  hasOutput: boolean;
}

export function createProcessReporter(
  api: Pick<PlatformApi, 'reportProcess'>,
  logger: Logger,
): ProcessReporter {
  const sidecarRun = randomUUID();
  const pending = new Map<TrackedProcess, Pending>();
  const lastMs = new Map<TrackedProcess, number>();
  const urgent = new Map<TrackedProcess, { left: number; atMs: number }>();
  let revision = 0;
  let reporting: Promise<void> | null = null;
  let finishing = false;

  const report = async (process: TrackedProcess, { hasOutput }: Pending, timeLimitMs: number) => {
    pending.delete(process);
    lastMs.set(process, Date.now());
    revision += 1;
    const { bytes, writtenBytes } = process.output;
    const output = { base64: bytes.toString('base64'), written_bytes: writtenBytes };
    const body: ProcessReport = {
      ...process.snapshot,
      sidecar_run: sidecarRun,
      revision,
      ...(hasOutput ? { output } : {}),
    };
    try {
      await api.reportProcess(body, timeLimitMs);
    } catch (error) {
      logger.warn({ name: process.name, reason: String(error) }, 'a process could not be reported');
      if (!(error instanceof PlatformRefusal) || error.status === tooManyRequests) {
        const since = pending.get(process);
        const isOutput = hasOutput || since?.hasOutput === true;
        pending.set(process, { atMs: Date.now() + retryMs, hasOutput: isOutput });
      }
    }
  };

  /** Takes one of the remaining urgent reports; each is refilled after `outputPauseMs`. */
  const mayBeUrgent = (process: TrackedProcess): boolean => {
    const nowMs = performance.now();
    const before = urgent.get(process) ?? { left: mostUrgent, atMs: nowMs };
    const left = Math.min(mostUrgent, before.left + (nowMs - before.atMs) / outputPauseMs);
    urgent.set(process, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
    return left >= 1;
  };

  const next = () => [...pending].sort(([, a], [, b]) => a.atMs - b.atMs)[0];
  const reportAll = async () => {
    for (let first = next(); first !== undefined && !finishing; first = next()) {
      const waitMs = first[1].atMs - Date.now();
      await (waitMs > 0 ? sleep(Math.min(waitMs, urgentPauseMs)) : report(...first, reportLimitMs));
    }
    reporting = null;
  };

  return {
    changed(process, isUrgent) {
      const before = pending.get(process);
      // A report that is due soon anyway costs nothing.
      const isSoon = before !== undefined && before.atMs <= Date.now() + urgentPauseMs;
      const pauseMs = isUrgent && !isSoon && mayBeUrgent(process) ? urgentPauseMs : outputPauseMs;
      const atMs = Math.min(before?.atMs ?? Infinity, (lastMs.get(process) ?? 0) + pauseMs);
      pending.set(process, { atMs, hasOutput: before?.hasOutput === true || !isUrgent });
      if (!finishing) {
        reporting ??= reportAll();
      }
    },
    async finish(timeLimitMs) {
      finishing = true;
      const deadline = Date.now() + timeLimitMs;
      // One that is on its way would be cut off with this process.
      await abandonAfter(timeLimitMs, reporting ?? Promise.resolve(), () => undefined);
      for (const [process, waiting] of [...pending]) {
        await report(process, waiting, Math.max(1, deadline - Date.now()));
      }
    },
  };
}
