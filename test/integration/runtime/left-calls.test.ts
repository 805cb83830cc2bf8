import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { auditSpoolPath, encodeSpoolRecord } from '../../../contract/audit-spool.ts';
import type { CallRecord } from '../../../contract/tool-call.ts';
import { stopSession } from '../../../runtime/process/stop-session.ts';
import { processDriver } from './process-driver.ts';

const sessionId = randomUUID();
const [ended, open] = [randomUUID(), randomUUID()];
const start = (call_id: string) =>
  encodeSpoolRecord({
    kind: 'started',
    call_id,
    server: 'files',
    tool: 'read_file',
    started_at: '2026-01-01T00:00:00.000Z',
  });
const spool =
  start(ended) +
  encodeSpoolRecord({ kind: 'ended', call_id: ended, duration_ms: 3, outcome: 'tool_error' }) +
  start(open) +
  start(randomUUID()).slice(0, -30);

let sessions: string;
let directory: string;
beforeEach(() => {
  sessions = mkdtempSync(join(tmpdir(), 'sessions-'));
  directory = join(sessions, sessionId);
  mkdirSync(join(directory, 'audit'), { recursive: true });
  writeFileSync(join(directory, auditSpoolPath), spool);
});
afterEach(() => rmSync(sessions, { recursive: true, force: true }));

const outcomes = (calls: readonly CallRecord[]) => calls.map(({ call_id, outcome }) => [call_id, outcome]);

describe('the audit spool of a lost sidecar', () => {
  it('is handed over before the session’s directory is deleted: ended calls as they ended, open ones as unknown', async () => {
    const taken: [string, unknown][] = [];
    await stopSession(directory, async (id, calls) => {
      expect(existsSync(directory)).toBe(true);
      taken.push([id, outcomes(calls)]);
    });
    expect(taken).toEqual([
      [
        sessionId,
        [
          [ended, 'tool_error'],
          [open, 'unknown'],
        ],
      ],
    ]);
    expect(existsSync(directory)).toBe(false);
  });

  it('is kept when it is not accepted, and handed over by the next attempt', async () => {
    const away = () => Promise.reject(new Error('the database is unreachable'));
    await expect(stopSession(directory, away)).rejects.toThrow('the database is unreachable');
    expect(existsSync(join(directory, auditSpoolPath))).toBe(true);
    const taken: CallRecord[] = [];
    await stopSession(directory, async (_, calls) => void taken.push(...calls));
    expect(taken).toHaveLength(2);
  });

  it('is skipped when there is none, and never deleted when it is unreadable', async () => {
    rmSync(join(directory, auditSpoolPath));
    const never = () => Promise.reject(new Error('called'));
    await stopSession(directory, never);
    await stopSession(directory, never);
    mkdirSync(join(directory, auditSpoolPath), { recursive: true });
    await expect(stopSession(directory, never)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(existsSync(directory)).toBe(true);
  });

  it('is handed over by the runtime that finds the session', async () => {
    const taken: CallRecord[] = [];
    const driver = processDriver({
      sessionsDirectory: sessions,
      takeLeftCalls: async (_, calls) => void taken.push(...calls),
    });
    const runtime = await driver.open('http://127.0.0.1:9');
    expect(await runtime.list()).toEqual([sessionId]);
    await runtime.stop(sessionId);
    expect(taken).toHaveLength(2);
    driver.remove();
  });
});
