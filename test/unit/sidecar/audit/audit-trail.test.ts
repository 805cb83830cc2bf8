import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { readSpool } from '../../../../contract/audit-spool.ts';
import {
  type CallRecord,
  callRecord,
  type RefusedCallCount,
  refusedCallCount,
} from '../../../../contract/tool-call.ts';
import {
  type AuditTrail,
  type AuditTrailDependencies,
  openAuditTrail,
} from '../../../../sidecar/audit/audit-trail.ts';
import { createMetrics } from '../../../../sidecar/metrics.ts';
import { PlatformRefusal } from '../../../../sidecar/platform-api/request.ts';
import { eventually } from '../../../support/eventually.ts';

let directory: string;
let spoolPath: string;
let isDown: boolean;
let reported: CallRecord[];
let reportedCounts: RefusedCallCount[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spool-'));
  spoolPath = join(directory, 'audit/calls');
  isDown = false;
  reported = [];
  reportedCounts = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (changes: Partial<AuditTrailDependencies> = {}): Promise<AuditTrail> =>
  openAuditTrail({
    api: {
      reportOpenCalls: async () => undefined,
      async reportRefusedCalls(counts) {
        if (isDown) {
          throw new Error('down');
        }
        reportedCounts.push(
          ...counts.map((count) => refusedCallCount.parse(JSON.parse(JSON.stringify(count)))),
        );
      },
      async reportCalls(calls) {
        if (isDown) {
          throw new Error('down');
        }
        reported.push(...calls.map((call) => callRecord.parse(JSON.parse(JSON.stringify(call)))));
      },
    },
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    capacity: { calls: 10, bytes: 1024 * 1024 },
    sessionCalls: 1_000_000,
    gatedTool: (_server, tool) => (tool.toLowerCase() === 'write_file' ? 'write_file' : null),
    logPayloads: false,
    closeLimitMs: 60_000,
    sync: 'within-100-ms',
    spoolPath,
    ...changes,
  });
const call = (tool = 'read_file') => ({ callId: randomUUID(), server: 'files', tool });
const spooled = () => readSpool(readFileSync(spoolPath));
const outcomes = (calls: readonly CallRecord[]) => calls.map(({ tool, outcome }) => [tool, outcome]);
const untilReported = (count: number) =>
  eventually(() => expect(reported.length).toBeGreaterThanOrEqual(count));
/** What was noted is in the file, some time after it was. */
const untilSpooled = (outcome: string) =>
  eventually(() => expect(spooled().calls).toMatchObject([{ outcome }]));

describe('the audit trail', () => {
  it('has a call on disk before it lets the call pass', async () => {
    const audit = await open();
    const one = call();
    expect(await audit.started(one)).toBe('recorded');
    expect(spooled().calls).toMatchObject([{ call_id: one.callId, tool: 'read_file', outcome: 'unknown' }]);
    expect(statSync(spoolPath).mode & 0o777).toBe(0o600);
    await audit.close();
  });

  it('reports each call once, with its first outcome, and leaves nothing on disk', async () => {
    const audit = await open();
    const one = call();
    await audit.started(one);
    audit.finished(one.callId, 'ok');
    audit.finished(one.callId, 'tool_error');
    audit.finished(randomUUID(), 'ok');
    await audit.close();
    expect(outcomes(reported)).toEqual([['read_file', 'ok']]);
    expect(existsSync(spoolPath)).toBe(false);
  });

  it('records the time of the decision on a call, in the report and on disk', async () => {
    isDown = true;
    const audit = await open();
    const one = call();
    await audit.started(one);
    const readAt = spooled().calls[0]?.started_at ?? '';
    await eventually(() => expect(new Date().toISOString() > readAt).toBe(true));
    audit.decided(one.callId);
    audit.finished(one.callId, 'ok');
    await untilSpooled('ok');
    const [kept] = spooled().calls;
    expect(kept).toMatchObject({ call_id: one.callId, outcome: 'ok' });
    expect((kept?.started_at ?? '') > readAt).toBe(true);
    isDown = false;
    await audit.close();
    expect(reported[0]?.started_at).toBe(kept?.started_at);
  });

  it('records a call that is still open at the end as unknown, and accepts none after it', async () => {
    const audit = await open();
    await audit.started(call());
    await audit.close();
    expect(outcomes(reported)).toEqual([['read_file', 'unknown']]);
    expect(await audit.started(call())).toBe('audit_unavailable');
  });

  it('converts names that agents invent into a form that can be stored', async () => {
    const audit = await open();
    await audit.started(call('a\0b\ud800c'));
    await audit.close();
    expect(reported[0]?.tool).toBe('a\ufffdb\ufffdc');
  });

  it('refuses calls when too many are unreported, and accepts calls again afterwards', async () => {
    isDown = true;
    const audit = await open({ capacity: { calls: 2, bytes: 1024 * 1024 } });
    const [first, second] = [call(), call()];
    await audit.started(first);
    await audit.started(second);
    audit.finished(first.callId, 'ok');
    expect(await audit.started(call())).toBe('audit_unavailable');
    isDown = false;
    await untilReported(1);
    expect(await audit.started(call())).toBe('recorded');
    await audit.close();
  });

  it('refuses calls when the unreported ones are too large', async () => {
    isDown = true;
    const audit = await open({ capacity: { calls: 100, bytes: 1000 }, closeLimitMs: 1000 });
    const taken = [];
    for (let count = 0; count < 10; count += 1) {
      taken.push(await audit.started(call()));
    }
    expect(taken.filter((admission) => admission === 'recorded').length).toBeGreaterThan(1);
    expect(taken.at(-1)).toBe('audit_unavailable');
    await audit.close();
  });

  it('stays small while the platform accepts the reports', async () => {
    const audit = await open({ capacity: { calls: 100_000, bytes: 64 * 1024 * 1024 } });
    for (let round = 0; round < 60; round += 1) {
      const calls = Array.from({ length: 500 }, () => call());
      await Promise.all(calls.map((one) => audit.started(one)));
      for (const { callId } of calls) {
        audit.finished(callId, 'ok');
      }
      await untilReported((round + 1) * 500 - 1000);
    }
    // Less than half of what 30,000 calls take.
    expect(statSync(spoolPath).size).toBeLessThan(5 * 1024 * 1024);
    await audit.close();
    expect(new Set(reported.map(({ call_id }) => call_id)).size).toBe(30_000);
  });
});

describe('a platform that is unreachable when the session ends', () => {
  it('leaves every call on disk', async () => {
    isDown = true;
    const audit = await open({ closeLimitMs: 1000 });
    const [ended, openStill] = [call('ended'), call('open')];
    await audit.started(ended);
    await audit.started(openStill);
    audit.finished(ended.callId, 'tool_error');
    await audit.close();
    expect(outcomes(spooled().calls)).toEqual([
      ['ended', 'tool_error'],
      ['open', 'unknown'],
    ]);
  });

  it('is not retried once it reports that the session has ended', async () => {
    let asked = 0;
    const audit = await open({
      api: {
        async reportCalls() {
          asked += 1;
          throw new PlatformRefusal(401, 'unauthenticated', 'The session has ended');
        },
        reportRefusedCalls: async () => undefined,
        reportOpenCalls: async () => undefined,
      },
      closeLimitMs: 5000,
    });
    await audit.started(call());
    await audit.close();
    expect(asked).toBe(1);
    expect(spooled().calls).toHaveLength(1);
  });
});

describe('the next sidecar of a session', () => {
  it('reports the calls of the previous one: ended ones as they ended, open ones as unknown', async () => {
    const down = () => Promise.reject(new Error('down'));
    const killed = await open({
      api: { reportCalls: down, reportRefusedCalls: down, reportOpenCalls: down },
      closeLimitMs: 1000,
    });
    const [ended, openStill] = [call('ended'), call('open')];
    await killed.started(ended);
    killed.finished(ended.callId, 'ok');
    await killed.started(openStill);
    const next = await open();
    await untilReported(2);
    expect(outcomes(reported)).toEqual([
      ['ended', 'ok'],
      ['open', 'unknown'],
    ]);
    await next.started(call('new'));
    expect(spooled().calls.some(({ tool }) => tool === 'new')).toBe(true);
    await next.close();
    await killed.close();
  });

  it('does not start when the previous spool cannot be read', async () => {
    mkdirSync(spoolPath, { recursive: true });
    await expect(open()).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('calls beyond the limit of a session', () => {
  /** The sum over all minutes, since a test may cross the end of one. */
  const counted = () => {
    const sums = new Map<string, number>();
    for (const { server, tool, outcome, count } of reportedCounts) {
      const key = JSON.stringify([server, tool, outcome]);
      sums.set(key, (sums.get(key) ?? 0) + count);
    }
    return [...sums].map(([key, count]) => [...JSON.parse(key), count]).sort();
  };

  it('are refused and counted, and a gated tool among them has a separate count, however it is spelled', async () => {
    const audit = await open({ sessionCalls: 1 });
    expect(await audit.started(call('first'))).toBe('recorded');
    for (let index = 0; index < 500; index += 1) {
      expect(await audit.started(call(`made-up-${index}`))).toBe('too_many_calls');
    }
    expect(await audit.started(call('write_file'))).toBe('too_many_calls');
    expect(await audit.started(call('Write_File'))).toBe('too_many_calls');
    expect(await audit.refusedBeyondLimit(call('write_file'))).toBe('too_many_calls');
    await audit.close();
    expect(outcomes(reported)).toEqual([['first', 'unknown']]);
    expect(counted()).toContainEqual(['files', 'write_file', 'refused', 3]);
    expect(counted()).toContainEqual(['files', 'made-up-0', 'refused', 1]);
    expect(counted()).toContainEqual(['files', '(other tools)', 'refused', 484]);
    expect(counted()).toHaveLength(18);
  });

  it('survive a kill: the next sidecar reports each of them, and one total for a count', async () => {
    isDown = true;
    const killed = await open({ sessionCalls: 0 });
    for (let index = 0; index < 3; index += 1) {
      await killed.started(call('write_file'));
    }
    const [count] = spooled().counts;
    expect(count).toMatchObject({ tool: 'write_file', count: 3 });
    isDown = false;
    const next = await open({ sessionCalls: 0 });
    await next.started(call('write_file'));
    await next.close();
    expect(reportedCounts.map(({ count }) => count).sort()).toEqual([1, 3]);
    expect(reportedCounts).toContainEqual(count);
    await killed.close();
  });

  it('begin where the sidecars of a session have recorded as many together, also when most are reported', async () => {
    const many = 1200;
    const changes = { sessionCalls: 3 * many + 2, capacity: { calls: 2000, bytes: 1024 * 1024 } };
    const first = await open(changes);
    // Enough for a second and a third file, in which those that were reported before are only a number.
    for (let made = 0; made < 3 * many; ) {
      for (const end = made + many; made < end; made += 1) {
        const one = call();
        await first.started(one);
        first.finished(one.callId, 'ok');
      }
      await untilReported(made);
    }
    expect(await first.started(call())).toBe('recorded');
    expect(spooled().reportedCalls).toBeGreaterThan(0);
    const second = await open(changes);
    expect(await second.started(call())).toBe('recorded');
    const third = await open(changes);
    expect(await third.started(call())).toBe('too_many_calls');
    await Promise.all([first, second, third].map((audit) => audit.close()));
  });

  it('are counted too when a call cannot be recorded because too many are unreported', async () => {
    isDown = true;
    const audit = await open({ capacity: { calls: 1, bytes: 1024 * 1024 } });
    await audit.started(call());
    expect(await audit.started(call('write_file'))).toBe('audit_unavailable');
    isDown = false;
    await audit.close();
    expect(counted()).toEqual([['files', 'write_file', 'refused', 1]]);
  });
});

describe('a spool that cannot be written', () => {
  it('refuses calls, reports them to the platform, and accepts calls again when it can be written', async () => {
    const audit = await open();
    // A directory in place of the new file: opening it fails, even for root.
    mkdirSync(`${spoolPath}.new`, { recursive: true });
    expect(await audit.started(call('refused'))).toBe('audit_unavailable');
    await untilReported(1);
    expect(outcomes(reported)).toEqual([['refused', 'refused']]);
    rmSync(`${spoolPath}.new`, { recursive: true });
    await eventually(async () => expect(await audit.started(call('passes'))).toBe('recorded'));
    await audit.close();
    expect(outcomes(reported)).toContainEqual(['passes', 'unknown']);
  });
});

describe('arguments and results', () => {
  const answer = { content: [{ type: 'text', text: 'for your eyes only' }] };

  it('are neither stored nor sent unless the workspace enables them', async () => {
    isDown = true;
    const audit = await open();
    const one = call();
    await audit.started(one, { path: '/etc/confidential' });
    audit.finished(one.callId, 'ok', answer);
    await untilSpooled('ok');
    expect(readFileSync(spoolPath, 'utf8')).not.toMatch(/confidential|your eyes/);
    isDown = false;
    await audit.close();
    expect(JSON.stringify(reported)).not.toMatch(/confidential|your eyes|arguments|result/);
  });

  it('are sent with the call if it does, each truncated at 16 KiB', async () => {
    const audit = await open({ logPayloads: true });
    const one = call();
    await audit.started(one, { path: '/etc/confidential' });
    audit.finished(one.callId, 'ok', { text: 'é'.repeat(20_000) });
    await audit.close();
    const [record] = reported;
    expect(record?.arguments).toEqual({ json: '{"path":"/etc/confidential"}', truncated: false });
    expect(record?.result?.truncated).toBe(true);
    expect(Buffer.byteLength(record?.result?.json ?? '')).toBeLessThanOrEqual(16 * 1024 + 3);
  });
});
