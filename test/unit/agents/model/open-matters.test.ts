import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createOpenMatters, type OpenMatters } from '../../../../agents/model/open-matters.ts';
import type { InputMessage } from '../../../../contract/agent-contract.ts';

const request_id = randomUUID();
const message = (more: Partial<InputMessage>): InputMessage => ({
  ...{ id: randomUUID(), seq: 1, kind: 'user_message', text: 'x' },
  ...{ decision: null, input_request_id: null, at: '2026-01-01T00:00:00.000Z' },
  ...more,
});
const decided = message({
  kind: 'permission_decision',
  decision: {
    ...{ request_id, grant_type: 'tool_scope', details: { scope: 'files.write' } },
    ...{ status: 'approved', scope: 'once', grant_id: randomUUID(), reason: null },
  },
});
const begin = (matters: OpenMatters, tool: string) =>
  matters.take({ type: 'call', id: tool, tool: `mcp__platform__${tool}` });
const finish = (matters: OpenMatters, tool: string, result: unknown, failed = false) =>
  matters.take({ type: 'result', id: tool, failed, text: JSON.stringify(result) });
const asked = (matters: OpenMatters, tool: string, status: string) => {
  begin(matters, tool);
  finish(matters, tool, { request_id, status });
};

describe('a decision', () => {
  it('is told at once when nothing waits for it', () => {
    const matters = createOpenMatters();
    asked(matters, 'request_grant', 'sent');
    expect(matters.isWaiting()).toBe(true);
    expect(matters.judge(decided)).toBe('now');
    matters.takeMessage(decided);
    expect(matters.isWaiting()).toBe(false);
  });

  it('is kept while a call waits that may return it, and known once one did', () => {
    const matters = createOpenMatters();
    begin(matters, 'request_permission');
    expect(matters.judge(decided)).toBe('later');
    finish(matters, 'request_permission', { request_id, status: 'approved' });
    expect(matters.judge(decided)).toBe('known');
    expect(matters.isWaiting()).toBe(false);
  });

  it('is told after a call that returned without a decision, failed or was broken off', () => {
    for (const end of [
      (matters: OpenMatters) => finish(matters, 'request_permission', { request_id, status: 'pending' }),
      (matters: OpenMatters) => finish(matters, 'request_permission', { code: 'muted' }, true),
      (matters: OpenMatters) => matters.take({ type: 'turn_ended', error: 'interrupted', queued: 0 }),
    ]) {
      const matters = createOpenMatters();
      begin(matters, 'request_permission');
      expect(matters.judge(decided)).toBe('later');
      end(matters);
      expect(matters.judge(decided)).toBe('now');
    }
  });

  it('is not kept for a call of another kind, nor is a message of the user for any', () => {
    const matters = createOpenMatters();
    matters.take({ type: 'call', id: 'a', tool: 'mcp__files__request_permission' });
    expect(matters.judge(decided)).toBe('now');
    begin(matters, 'request_permission');
    expect(matters.judge(message({}))).toBe('now');
  });
});

it('an answer is known once the question returned it', () => {
  const matters = createOpenMatters();
  const input_request_id = randomUUID();
  const answer = message({ kind: 'input_answer', input_request_id });
  begin(matters, 'request_input');
  finish(matters, 'request_input', { input_request_id });
  expect([matters.judge(answer), matters.isWaiting()]).toEqual(['now', true]);
  begin(matters, 'request_input');
  finish(matters, 'request_input', { input_request_id, answer: 'b' });
  expect([matters.judge(answer), matters.isWaiting()]).toEqual(['known', false]);
});

it('the end of a session that was started is awaited, and told even if it comes twice', () => {
  const matters = createOpenMatters();
  const session_id = randomUUID();
  const sender = { relation: 'child' as const, session_id, agent: { id: randomUUID(), name: 'b' } };
  begin(matters, 'spawn_session');
  finish(matters, 'spawn_session', { session_id, status: 'pending' });
  expect(matters.isWaiting()).toBe(true);
  matters.takeMessage(message({ kind: 'session_message', sender }));
  expect(matters.isWaiting()).toBe(true);
  matters.takeMessage(message({ kind: 'child_ended', sender }));
  expect(matters.isWaiting()).toBe(false);
  expect(matters.judge(message({ kind: 'child_ended', sender }))).toBe('now');
});

it('the session has ended when the platform took that, and not when it was asked', () => {
  const matters = createOpenMatters();
  begin(matters, 'end_session');
  expect(matters.hasEnded()).toBe(false);
  finish(matters, 'end_session', { code: 'unavailable' }, true);
  expect(matters.hasEnded()).toBe(false);
  begin(matters, 'end_session');
  finish(matters, 'end_session', { status: 'ending' });
  expect(matters.hasEnded()).toBe(true);
});
