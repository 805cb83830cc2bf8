/** `expect_quiet_for` on a real database, and what the idle clock makes of it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkIdle } from '../../../activities/sessions/check-idle.ts';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';

let tools: TestTools;
let caller: ToolCaller;

beforeAll(async () => {
  tools = await openTools({ LIMIT_SESSION_EVENT_BYTES: '2000' });
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

const quiet = (given: object, callId?: string) => tools.call(caller, 'expect_quiet_for', given, callId);
const untilMs = async (seconds: number, callId?: string) =>
  Date.parse((await tools.ok<{ until: string }>(caller, 'expect_quiet_for', { seconds }, callId)).until);
const eventsOf = () =>
  tools.db('session_events').where({ session_id: caller.id, type: 'agent.status' }).select('payload');
const remainingMs = async (idleMs: number) =>
  (await checkIdle(tools, { sessionId: caller.id, idleMs })).remainingMs;
const lastActiveSecondsAgo = (seconds: number) =>
  tools
    .db('sessions')
    .where({ id: caller.id })
    .update({ last_activity_at: new Date(Date.now() - seconds * 1000).toISOString() });

describe('the idle clock', () => {
  it('is paused until then, and not longer', async () => {
    await lastActiveSecondsAgo(100);
    expect(await remainingMs(10_000)).toBeLessThan(0);
    await untilMs(3600);
    const left = await remainingMs(10_000);
    expect(left).toBeGreaterThan(3_000_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    await tools
      .db('sessions')
      .where({ id: caller.id })
      .update({ quiet_until: new Date(Date.now() - 1000).toISOString() });
    expect(await remainingMs(10_000)).toBeLessThan(0);
  });

  it('never runs out earlier for it', async () => {
    await untilMs(1);
    expect(await remainingMs(600_000)).toBeGreaterThan(500_000);
  });
});

describe('of two announcements', () => {
  it('the later time stays', async () => {
    const long = await untilMs(3600);
    expect(await untilMs(60)).toBe(long);
    expect(await untilMs(7200)).toBeGreaterThan(long);
    expect(await eventsOf()).toHaveLength(3);
  });

  it('the same call changes nothing, and is counted once', async () => {
    const callId = randomUUID();
    const first = await untilMs(3600, callId);
    const published = () => tools.db('sessions').where({ id: caller.id }).first('published_event_bytes');
    const counted = await published();
    expect(await untilMs(3600, callId)).toBe(first);
    expect(await published()).toEqual(counted);
    expect(await eventsOf()).toEqual([
      { payload: { status: 'Expects to be quiet for 3600 s', detail: null } },
    ]);
  });
});

describe('is refused', () => {
  it('once the session has ended', async () => {
    await moveSession(tools.db, caller.id, { to: 'completed', reason: 'done' });
    expect(await quiet({ seconds: 60 })).toMatchObject({ code: 'not_allowed' });
  });

  it('beyond what a session may publish, and pauses nothing then', async () => {
    await tools.db('sessions').where({ id: caller.id }).update({ published_event_bytes: 1990 });
    expect(await quiet({ seconds: 60 })).toMatchObject({ code: 'limit_reached' });
    expect(await tools.db('sessions').where({ id: caller.id }).first('quiet_until')).toEqual({
      quiet_until: null,
    });
  });

  it.each([[0], [-1], [86_401], [1.5], ['60'], [Number.MAX_SAFE_INTEGER]])(
    'with %p seconds',
    async (seconds) => {
      expect(await quiet({ seconds })).toMatchObject({
        code: 'validation_failed',
        message: expect.stringContaining('seconds: '),
      });
    },
  );
});
