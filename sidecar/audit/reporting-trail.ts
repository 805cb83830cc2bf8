/** An audit trail in memory that reports finished calls to the platform in batches. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CallRecord } from '../../contract/sidecar.ts';
import type { Metrics } from '../metrics.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import type { AuditTrail, StartedCall } from './audit-trail.ts';

export interface ReportingTrailOptions {
  api: Pick<PlatformApi, 'reportCalls'>;
  metrics: Metrics;
  logger: Logger;
  /** Calls that are open or not reported yet, at most. */
  capacity: number;
  /** How long `close` tries to hand over the rest. */
  closeLimitMs: number;
}

const batchSize = 100;
const gatherMs = 100;
const reportLimitMs = 15_000;

export function createReportingTrail(options: ReportingTrailOptions): AuditTrail {
  const { api, metrics, logger, capacity, closeLimitMs } = options;
  const open = new Map<string, StartedCall & { startedAt: Date; startedMs: number }>();
  // By call id: a batch that is sent twice, by the reporter and at the end, is taken out once.
  const finished = new Map<string, CallRecord>();
  let isReporting = false;
  let closing = false;

  const reportBatch = async (timeLimitMs: number) => {
    const batch = [...finished.values()].slice(0, batchSize);
    await api.reportCalls(batch, timeLimitMs);
    for (const call of batch) {
      finished.delete(call.call_id);
    }
  };

  const reportAll = async () => {
    isReporting = true;
    await sleep(gatherMs);
    while (finished.size > 0 && !closing) {
      await reportBatch(reportLimitMs).catch(async (error: unknown) => {
        logger.warn({ unreported: finished.size, reason: String(error) }, 'tool calls could not be reported');
        await sleep(1000);
      });
    }
    isReporting = false;
  };

  const finish: AuditTrail['finished'] = (callId, outcome) => {
    const call = open.get(callId);
    if (!call) {
      return;
    }
    open.delete(callId);
    metrics.count('platform_tool_calls_total', { server: call.server, outcome });
    finished.set(callId, {
      call_id: callId,
      server: call.server,
      tool: call.tool,
      started_at: call.startedAt.toISOString(),
      duration_ms: Math.round((performance.now() - call.startedMs) * 1000) / 1000,
      outcome,
    });
    if (!closing && !isReporting) {
      void reportAll();
    }
  };

  return {
    async started(call) {
      if (closing || open.size + finished.size >= capacity) {
        return false;
      }
      open.set(call.callId, { ...call, startedAt: new Date(), startedMs: performance.now() });
      return true;
    },
    finished: finish,
    async close() {
      closing = true;
      for (const callId of [...open.keys()]) {
        finish(callId, 'unknown');
      }
      const deadline = Date.now() + closeLimitMs;
      // A report may be on its way: what it carries is stored once, however often it is sent.
      while (finished.size > 0 && Date.now() < deadline) {
        await reportBatch(deadline - Date.now()).catch((error: unknown) =>
          logger.warn({ reason: String(error) }, 'tool calls could not be reported'),
        );
      }
      if (finished.size > 0) {
        logger.error({ unreported: finished.size }, 'tool calls were never reported');
      }
    },
  };
}
