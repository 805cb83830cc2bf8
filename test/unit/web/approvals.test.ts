import { describe, expect, it } from '@jest/globals';
import { ApiFailure, unreachable } from '../../../web/src/api/failure.ts';
import {
  approvedReach,
  approveLabel,
  type Choice,
  choiceMeaning,
  grantBody,
  holderMeaning,
  holdersOf,
  offeredScopes,
  preselectedChoice,
  withScope,
} from '../../../web/src/pages/approvals/choices.ts';
import {
  decisionState,
  isInTime,
  maySendAgain,
  pauseBeforeSendingMs,
} from '../../../web/src/pages/approvals/decision-state.ts';
import {
  closed,
  emptyQueue,
  putOff,
  reopened,
  toNext,
  waitingAfter,
  withWaiting,
} from '../../../web/src/pages/approvals/request-queue.ts';
import { subjectOf } from '../../../web/src/pages/approvals/request-text.ts';

const request = {
  id: 'r',
  session_id: 's',
  agent_id: 'a',
  operator: { id: 'o', name: 'Max' },
  grant_type: 'tool_scope' as const,
  details: { scope: 'files.write' },
  refused_call: null,
};

const onceForAgent: Choice = { scope: 'once', holder: 'agent' };

describe('what a request may be answered with', () => {
  const may_grant = { agent: ['once' as const, 'session' as const], operator: ['persistent' as const] };

  it('is what the API offers, narrowest first', () => {
    expect(offeredScopes({ may_grant })).toEqual(['once', 'session', 'persistent']);
  });

  it('starts as the narrowest offered scope, for the agent alone, whatever was requested', () => {
    expect(preselectedChoice({ may_grant })).toEqual({ scope: 'once', holder: 'agent' });
    expect(preselectedChoice({ may_grant: { agent: ['persistent'], operator: ['session'] } })).toEqual({
      scope: 'session',
      holder: 'operator',
    });
    expect(preselectedChoice({ may_grant: { agent: [], operator: [] } })).toBeNull();
  });

  it('is named after what it allows', () => {
    const mine = { operatorIsMe: true };
    const label = (choice: Choice, more: Partial<typeof request> = {}, whose = mine) =>
      approveLabel({ ...request, ...more }, choice, whose);
    expect(label({ scope: 'once', holder: 'agent' })).toBe('Approve one call');
    expect(approveLabel({ ...request, refused_call: { server: 's', tool: 't' } }, onceForAgent, mine)).toBe(
      'Approve this one call',
    );
    expect(label({ scope: 'session', holder: 'operator' })).toBe('Approve for this session');
    expect(label({ scope: 'persistent', holder: 'agent' })).toBe('Approve for every session of the agent');
    expect(label({ scope: 'persistent', holder: 'operator' })).toBe('Approve for all my sessions');
    expect(label({ scope: 'persistent', holder: 'operator' }, {}, { operatorIsMe: false })).toBe(
      'Approve for all sessions of this person',
    );
    expect(approveLabel({ grant_type: 'spawn', refused_call: null }, onceForAgent, mine)).toBe(
      'Approve one start',
    );
  });

  it('never gives a holder a scope that is not offered for it', () => {
    const choice = { scope: 'once' as const, holder: 'agent' as const };
    expect(withScope({ may_grant }, choice, 'session')).toEqual({ scope: 'session', holder: 'agent' });
    expect(withScope({ may_grant }, choice, 'persistent')).toEqual({
      scope: 'persistent',
      holder: 'operator',
    });
    expect(holdersOf({ may_grant }, 'session')).toEqual(['agent']);
  });

  it('is sent as exactly that grant', () => {
    const same = { grant_type: 'tool_scope', details: { scope: 'files.write' }, request_id: 'r' };
    expect(grantBody(request, { scope: 'once', holder: 'agent' })).toEqual({
      ...same,
      agent_subject_id: 'a',
      scope: 'once',
    });
    expect(grantBody(request, { scope: 'session', holder: 'operator' })).toEqual({
      ...same,
      user_subject_id: 'o',
      scope: 'session',
      session_id: 's',
    });
    expect(grantBody(request, { scope: 'persistent', holder: 'operator' })).not.toHaveProperty('session_id');
  });

  it('says what each answer means, and differently for each', () => {
    const meanings = (['tool_scope', 'spawn'] as const).flatMap((grant_type) =>
      (['once', 'session', 'persistent'] as const).map((scope) =>
        choiceMeaning({ ...request, grant_type }, scope),
      ),
    );
    expect(new Set(meanings).size).toBe(meanings.length);
    const refused = { ...request, refused_call: { server: 'files', tool: 'write_file' } };
    expect(choiceMeaning(refused, 'once')).toMatch(/^One call of the tool that was refused, with whatever/);
    const persistent = { scope: 'persistent' as const };
    expect(holderMeaning({ ...persistent, holder: 'operator' }, { operatorIsMe: true })).toMatch(/you drive/);
    expect(holderMeaning({ ...persistent, holder: 'agent' }, { operatorIsMe: true })).toMatch(/this agent/);
  });

  it('says how far an approval went', () => {
    const agent = { type: 'agent' as const, id: 'a', name: 'scribe' };
    const person = { type: 'user' as const, id: 'u', name: 'Ada' };
    expect(approvedReach({ scope: 'once', subject: agent })).toBe('once');
    expect(approvedReach({ scope: 'session', subject: agent })).toBe('for this session');
    expect(approvedReach({ scope: 'persistent', subject: agent })).toContain('every session of the agent');
    expect(approvedReach({ scope: 'persistent', subject: person })).toContain('all sessions of the person');
  });
  it('names what is requested', () => {
    const child_agent = { id: 'c', name: 'helper' };
    expect(subjectOf({ ...request, child_agent: null })).toEqual({
      what: 'to use tools that need',
      name: 'files.write',
    });
    const spawn = { grant_type: 'spawn' as const, details: { child_agent_id: 'c' } };
    expect(subjectOf({ ...spawn, child_agent }).name).toBe('helper');
    expect(subjectOf({ ...spawn, child_agent: null }).name).toBe('c');
  });
});

describe('the queue of requests', () => {
  it('shows the oldest, and never replaces it', () => {
    const first = withWaiting(emptyQueue, ['a', 'b']);
    expect(first.shown).toBe('a');
    expect(withWaiting(first, ['b', 'c'])).toBe(first);
    expect(waitingAfter(first, ['a', 'b', 'c'])).toEqual(['b', 'c']);
    expect(toNext(first, ['a', 'b', 'c']).shown).toBe('b');
    expect(toNext(first, ['a']).shown).toBeNull();
  });

  it('opens by itself for new requests, not for postponed ones', () => {
    const later = closed(withWaiting(emptyQueue, ['a', 'b']), ['a', 'b']);
    expect(withWaiting(later, ['a', 'b']).shown).toBeNull();
    expect(withWaiting(later, ['a', 'b', 'c']).shown).toBe('c');
    expect(reopened(['a', 'b']).shown).toBe('a');
  });
});

describe('the queue while typing', () => {
  it('opens nothing by itself, also afterwards, except for new requests', () => {
    const typed = putOff(emptyQueue, ['a']);
    expect(typed.shown).toBeNull();
    expect(withWaiting(typed, ['a'])).toBe(typed);
    expect(putOff(typed, ['a'])).toBe(typed);
    expect(withWaiting(typed, ['a', 'b']).shown).toBe('b');
  });
  it('keeps what is shown', () => {
    const shown = { shown: 'a', putOff: [] };
    expect(putOff(shown, ['a', 'b'])).toBe(shown);
  });
});

describe('a decision that was sent', () => {
  const failure = (status: number, code: string) => new ApiFailure('No', { status, code });

  const given = (error: unknown) => ({ isPending: false, failureReason: error, error });

  it.each([
    ['went through', null, 'none'],
    ['came too late', failure(409, 'already_decided'), 'too-late'],
    ['was refused', failure(403, 'forbidden'), 'refused'],
    ['had fields that the API refuses', failure(422, 'validation_failed'), 'refused'],
    ['got no answer', unreachable(), 'unanswered'],
    ['may have arrived all the same', failure(503, 'unavailable'), 'unanswered'],
    ['broke in the page', new Error('x'), 'unanswered'],
  ])('that %s', (_what, error, expected) => {
    expect(decisionState(given(error))).toBe(expected);
  });

  it('is resent while no response arrives', () => {
    const pending = { isPending: true, error: null };
    expect(decisionState({ ...pending, failureReason: null })).toBe('none');
    expect(decisionState({ ...pending, failureReason: unreachable() })).toBe('trying');
  });

  const minuteMs = 60_000;
  it.each([
    ['no answer', unreachable(), 4 * minuteMs, true],
    ['a platform that is busy', failure(503, 'unavailable'), 1, true],
    ['no answer for as long as an approval holds', unreachable(), 5 * minuteMs, false],
    ['no answer past the deadline of the request', unreachable(), 20 * minuteMs, false],
    ['a refusal', failure(403, 'forbidden'), 1, false],
    ['a decision before it', failure(409, 'already_decided'), 1, false],
    ['a defect of the page', new Error('x'), 1, false],
  ])('after %s: resent or not', (_what, error, nowMs, expected) => {
    expect(maySendAgain(error, { sentAtMs: 0, expiresAtMs: 15 * minuteMs, nowMs })).toBe(expected);
  });

  it('never after the deadline of the request', () => {
    expect(maySendAgain(unreachable(), { sentAtMs: 0, expiresAtMs: 5, nowMs: 5 })).toBe(false);
    expect(isInTime({ sentAtMs: 0, expiresAtMs: 5, nowMs: 4 })).toBe(true);
    expect(isInTime({ sentAtMs: 0, expiresAtMs: 5, nowMs: 5 })).toBe(false);
  });

  it('backs off, or waits as the platform asks, for seconds at most', () => {
    expect([0, 1, 2, 3, 9].map((failures) => pauseBeforeSendingMs(failures, unreachable()))).toEqual([
      1000, 2000, 4000, 8000, 8000,
    ]);
    const asked = (retryAfterSeconds: number) =>
      new ApiFailure('No', { status: 503, code: 'unavailable', retryAfterSeconds });
    expect(pauseBeforeSendingMs(0, asked(5))).toBe(5000);
    expect(pauseBeforeSendingMs(0, asked(600))).toBe(8000);
  });
});
