import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import pino from 'pino';
import { maxToolNameCharacters } from '../../../../contract/names.ts';
import { maxListedOpenCalls, type OpenCallReport, openCallReport } from '../../../../contract/open-calls.ts';
import { CallBook } from '../../../../sidecar/audit/call-book.ts';
import { createOpenCallReporter } from '../../../../sidecar/audit/open-calls.ts';

const logger = pino({ level: 'silent' });
let book: CallBook;
let told: OpenCallReport[];
let isDown: boolean;
beforeEach(() => {
  jest.useFakeTimers();
  book = new CallBook();
  told = [];
  isDown = false;
});
afterEach(() => {
  jest.useRealTimers();
});

const api = {
  async reportOpenCalls(report: OpenCallReport) {
    if (isDown) {
      throw new Error('down');
    }
    told.push(openCallReport.parse(JSON.parse(JSON.stringify(report))));
  },
};
const reporterOf = ({ isFirst = true } = {}) => createOpenCallReporter(api, book, { isFirst, logger });
const begin = (tool = 'read'): string => {
  const callId = randomUUID();
  book.start({ call_id: callId, server: 'files', tool, started_at: new Date().toISOString() });
  return callId;
};
const end = (callId: string) => book.end(callId, { outcome: 'ok' });

it('tells a call when it has been open for some seconds, its progress, and its end', async () => {
  const reporter = reporterOf();
  const callId = begin();
  reporter.wake();
  await jest.advanceTimersByTimeAsync(12_000);
  expect(told).toMatchObject([{ revision: 1, count: 1, calls: [{ call_id: callId, progressed_at: null }] }]);
  book.progress(callId, '2026-01-01T00:00:00.000Z');
  await jest.advanceTimersByTimeAsync(6000);
  expect(told.at(-1)).toMatchObject({ revision: 2, calls: [{ progressed_at: '2026-01-01T00:00:00.000Z' }] });
  end(callId);
  await jest.advanceTimersByTimeAsync(6000);
  expect(told.at(-1)).toMatchObject({ revision: 3, count: 0, calls: [] });
  expect(jest.getTimerCount()).toBe(0);
});

it('tells nothing of short calls, and seldom of many', async () => {
  const reporter = reporterOf();
  for (let left = 1000; left > 0; left -= 1) {
    end(begin());
    reporter.wake();
  }
  await jest.advanceTimersByTimeAsync(20_000);
  expect(told).toEqual([]);
  const name = 'x'.repeat(maxToolNameCharacters);
  for (let left = 1000; left > 0; left -= 1) {
    begin(name);
    reporter.wake();
  }
  await jest.advanceTimersByTimeAsync(60_000);
  expect(told).toMatchObject([{ count: 1000 }]);
  expect(told[0]?.calls).toHaveLength(maxListedOpenCalls);
});

it('tells again what did not arrive', async () => {
  const reporter = reporterOf();
  isDown = true;
  begin();
  reporter.wake();
  await jest.advanceTimersByTimeAsync(12_000);
  isDown = false;
  await jest.advanceTimersByTimeAsync(6000);
  expect(told).toMatchObject([{ count: 1 }]);
});

it('takes back what an earlier sidecar of the session told', async () => {
  reporterOf({ isFirst: false });
  await jest.advanceTimersByTimeAsync(6000);
  expect(told).toMatchObject([{ count: 0, calls: [] }]);
  expect(jest.getTimerCount()).toBe(0);
});

it('takes back what it told when it ends, and tells nothing afterwards', async () => {
  const reporter = reporterOf();
  const callId = begin();
  reporter.wake();
  await jest.advanceTimersByTimeAsync(12_000);
  end(callId);
  await reporter.finish(1000);
  expect(told).toMatchObject([{ count: 1 }, { count: 0 }]);
  begin();
  reporter.wake();
  await jest.advanceTimersByTimeAsync(30_000);
  expect(told).toHaveLength(2);
});

it('tells nothing at its end when it told nothing before', async () => {
  const reporter = reporterOf();
  end(begin());
  reporter.wake();
  await reporter.finish(1000);
  expect(told).toEqual([]);
});
