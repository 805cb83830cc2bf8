import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import type { CallRecord } from '../../../../contract/sidecar.ts';
import { createReportingTrail } from '../../../../sidecar/audit/reporting-trail.ts';
import { createMetrics } from '../../../../sidecar/metrics.ts';

function trail(capacity = 10, reportCalls?: (calls: CallRecord[]) => Promise<void>) {
  const reported: CallRecord[] = [];
  const audit = createReportingTrail({
    api: {
      reportCalls:
        reportCalls ??
        (async (calls) => {
          reported.push(...calls);
        }),
    },
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    capacity,
    closeLimitMs: 300,
  });
  return { audit, reported };
}
const call = (callId: string) => ({ callId, server: 'files', tool: 'read_file' });

describe('the audit trail', () => {
  it('reports each call once, with its first outcome', async () => {
    const { audit, reported } = trail();
    await audit.started(call('a'));
    audit.finished('a', 'ok');
    audit.finished('a', 'tool_error');
    audit.finished('never-started', 'ok');
    await audit.close();
    expect(reported.map(({ call_id, outcome }) => [call_id, outcome])).toEqual([['a', 'ok']]);
    expect(reported[0]?.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('records a call that is still open at the end as unknown', async () => {
    const { audit, reported } = trail();
    await audit.started(call('a'));
    await audit.close();
    expect(reported).toMatchObject([{ call_id: 'a', outcome: 'unknown' }]);
    expect(await audit.started(call('b'))).toBe(false);
  });

  it('takes no further call when too many are unreported, and takes calls again afterwards', async () => {
    let isDown = true;
    const { audit } = trail(2, async () => {
      if (isDown) {
        throw new Error('down');
      }
    });
    await audit.started(call('a'));
    await audit.started(call('b'));
    audit.finished('a', 'ok');
    expect(await audit.started(call('c'))).toBe(false);
    isDown = false;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await audit.started(call('c'))).toBe(true);
    await audit.close();
  });

  it('gives up handing over after its limit', async () => {
    const { audit } = trail(2, () => Promise.reject(new Error('down')));
    await audit.started(call('a'));
    const startedAt = Date.now();
    await audit.close();
    expect(Date.now() - startedAt).toBeLessThan(2000);
  });
});
