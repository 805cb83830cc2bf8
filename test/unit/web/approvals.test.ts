import { describe, expect, it } from '@jest/globals';
import { ApiFailure, unreachable } from '../../../web/src/api/failure.ts';
import { noticeOf } from '../../../web/src/app/notice.ts';
import type { Choice } from '../../../web/src/pages/approvals/choices.ts';
import {
  decidedText,
  revokedText,
  revokedTogetherText,
  revokeEach,
} from '../../../web/src/pages/approvals/decided-text.ts';
import {
  decisionState,
  hasLost,
  isInTime,
  maySendAgain,
  pauseBeforeSendingMs,
} from '../../../web/src/pages/approvals/decision-state.ts';
import { isHeldPress } from '../../../web/src/pages/approvals/held-key.ts';
import { placesOf, stepTo } from '../../../web/src/pages/approvals/places.ts';
import {
  closed,
  emptyQueue,
  putOff,
  reopened,
  toNext,
  waitingAfter,
  withWaiting,
} from '../../../web/src/pages/approvals/request-queue.ts';
import { lostTitle, outcomeText } from '../../../web/src/pages/approvals/request-text.ts';
import { unseenOf } from '../../../web/src/pages/approvals/unseen.ts';
import { mine, onceForAgent, refused_call, request } from './approval-request.ts';

describe('what has to be seen before an approval', () => {
  const nowMs = Date.UTC(2026, 11, 15);
  it.each([
    ['nothing is chosen', null, 'shown', false, null],
    ['one call with any arguments', onceForAgent, 'failed', false, null],
    ['one call of any tool, out of sight', onceForAgent, 'none', false, 'choice'],
    ['one call of any tool, in sight', onceForAgent, 'none', true, null],
    ['more than one call, out of sight', { reach: 'session', holder: 'agent' }, 'shown', false, 'choice'],
    ['more than one call, in sight', { reach: 'session', holder: 'agent' }, 'loading', true, null],
    ['no day so far', { reach: 'date', holder: 'agent', lastDay: '' }, 'shown', true, 'day'],
    ['a day that is over', { reach: 'date', holder: 'agent', lastDay: '2026-12-01' }, 'shown', true, 'day'],
    ['a day to come', { reach: 'date', holder: 'agent', lastDay: '2026-12-31' }, 'shown', true, null],
    ['a call that comes', { reach: 'exact', holder: 'agent' }, 'loading', false, 'loading'],
    ['a call whose end is out of sight', { reach: 'exact', holder: 'agent' }, 'shown', false, 'end-of-call'],
    ['a call that was seen to its end', { reach: 'exact', holder: 'agent' }, 'shown', true, null],
    ['raw text, out of sight', { reach: 'exact', holder: 'agent' }, 'unreadable', false, 'end-of-call'],
    ['raw text that was seen', { reach: 'exact', holder: 'agent' }, 'unreadable', true, null],
    ['a call that is for others to see', { reach: 'exact', holder: 'agent' }, 'withheld', false, 'arguments'],
    ['a call that could not be loaded', { reach: 'exact', holder: 'agent' }, 'failed', false, 'arguments'],
    ['a call that was erased', { reach: 'exact', holder: 'agent' }, 'erased', true, 'arguments'],
    ['a call that is another one', { reach: 'exact', holder: 'agent' }, 'replaced', false, 'arguments'],
  ] as const)('when it is %s', (_what, choice, call, wasInSight, expected) => {
    expect(unseenOf(choice, { call, child: 'none', nowMs }, wasInSight)).toBe(expected);
  });

  it.each([
    ['is not chosen', null, 'unread', false, null],
    ['is of an agent of which nothing is shown', onceForAgent, 'unread', true, 'no-child'],
    ['is of an agent that was not seen as a whole', onceForAgent, 'shown', false, 'child'],
    ['is of an agent that was seen', { reach: 'session', holder: 'agent' }, 'shown', true, null],
  ] as const)('when a start %s', (_what, choice, child, wasInSight, expected) => {
    expect(unseenOf(choice, { call: 'none', child, nowMs }, wasInSight)).toBe(expected);
  });
});

describe('what is longer than the window', () => {
  it('is seen from edge to edge, at places that no window jumps over', () => {
    expect(placesOf(20)).toEqual([10]);
    for (const heightPx of [25, 150, 5000]) {
      const places = placesOf(heightPx);
      expect([places[0], places.at(-1)]).toEqual([1, heightPx - 1]);
      const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(120);
    }
  });

  it('is scrolled to by less than what is visible', () => {
    const visible = { topPx: 100, bottomPx: 600 };
    expect(stepTo(450, visible)).toBe(100);
    expect(stepTo(9000, visible)).toBe(400);
    expect(stepTo(-9000, visible)).toBe(-400);
  });
});

describe('a notification of the browser', () => {
  it.each([
    ['what waited already when the page was opened', null, 2, true, null],
    ['nothing new', 2, 2, true, null],
    ['what was decided', 2, 1, true, null],
    ['what the person sees on the page', 0, 1, false, null],
    ['a request', 0, 1, true, 'One request waits for your decision.'],
    ['more of them', 1, 3, true, '3 requests wait for your decision.'],
  ])('of %s', (_what, before, now, isAway, text) => {
    expect(noticeOf({ before, now, isAway })).toBe(text);
  });
});

describe('a key that is pressed in a request', () => {
  it.each([
    ['Enter', false, false, false],
    ['Enter', true, false, true],
    [' ', true, false, true],
    ['Enter', true, true, false],
    ['Tab', true, false, false],
  ])('%s, held: %s, in a field: %s, is no press of a button: %s', (key, repeat, inField, expected) => {
    expect(isHeldPress({ key, repeat }, inField)).toBe(expected);
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

  it.each([
    ['approve', 'approved', false, true],
    // In another window of the same person.
    ['approve', 'approved', true, true],
    ['deny', 'approved', true, true],
    ['approve', 'denied', true, true],
    ['deny', 'denied', false, true],
    ['approve', 'expired', false, true],
    // Sent again after its answer was lost.
    ['deny', 'denied', true, false],
  ] as const)('lost as %s, when the request is %s and it is mine: %s', (sent, status, isMine, lost) => {
    expect(hasLost('too-late', sent, { status, isMine })).toBe(lost);
    expect(hasLost('none', sent, { status, isMine })).toBe(false);
  });

  it('that lost is said not to be recorded, beside what was decided', () => {
    expect(lostTitle('deny')).toBe('Your denial was not recorded.');
    expect(lostTitle('approve')).toBe('Your approval was not recorded.');
    expect(outcomeText('approved')).toEqual({ title: 'Approved', text: 'The agent was told.' });
  });

  it('that was taken is said in a few words, and so is what had passed when it was taken back', () => {
    const choice: Choice = { reach: 'exact', holder: 'agent' };
    expect(decidedText({ ...request, refused_call }, { kind: 'approve', choice }, mine)).toBe(
      'Allowed: this call only',
    );
    expect(decidedText(request, { kind: 'deny', reason: '', mute: false }, mine)).toBe(
      'Denied. The agent is told.',
    );
    expect(decidedText(request, { kind: 'deny', reason: '', mute: true }, mine)).toContain('muted');
    expect(revokedText({ state: 'revoked', use_count: 0 })).toBe('Revoked before it was used.');
    expect(revokedText({ state: 'revoked', use_count: 1 })).toContain('One call had passed');
    expect(revokedText({ state: 'revoked', use_count: 7 })).toContain('7 calls had passed');
    expect(revokedText(null)).toMatch(/^Revoked. .* could not be read/);
    expect(revokedText({ state: 'consumed', use_count: 1 })).toMatch(/^Too late to revoke/);
    const unused = { state: 'revoked' as const, use_count: 0 };
    expect(revokedTogetherText([unused])).toBe('Revoked before it was used.');
    expect(revokedTogetherText([unused, { state: 'consumed', use_count: 1 }, null])).toBe(
      'Revoked 1 of 3 before use. Too late for 1: the call has passed. ' +
        'Of 1 call it is not known whether it passed.',
    );
    expect(revokedTogetherText([unused], 2)).toBe('Revoked 1 of 3 before use. Not revoked: 2.');
    expect(revokedTogetherText([], 1)).toBe('Not revoked.');
  });

  it('revoke each of several grants, whatever becomes of the others', async () => {
    const tried: string[] = [];
    const result = await revokeEach(['a', 'b', 'c'], async (id) => {
      tried.push(id);
      if (id !== 'b') {
        throw new Error(id);
      }
    });
    expect(tried).toEqual(['a', 'b', 'c']);
    expect(result).toEqual({ revoked: ['b'], failed: ['a', 'c'], firstError: new Error('a') });
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
