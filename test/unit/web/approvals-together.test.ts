/** Several requests that are decided together, what was asked before, and the keys of the queue. */
import { describe, expect, it } from '@jest/globals';
import { mostTogether } from '../../../contract/request-bounds.ts';
import { ApiFailure, unreachable } from '../../../web/src/api/failure.ts';
import { grantBody } from '../../../web/src/pages/approvals/choices.ts';
import { decidedBeforeText, earlierText } from '../../../web/src/pages/approvals/earlier-text.ts';
import { movedTo, stepOf } from '../../../web/src/pages/approvals/queue-keys.ts';
import {
  allowedText,
  deniedText,
  exactly,
  isUnconfirmed,
  leftOf,
  type Outcome,
  sendEach,
  setsOf,
  subjectOfSet,
  unseenOfSet,
  unsentOf,
} from '../../../web/src/pages/approvals/together.ts';
import { digest, refused_call, request } from './approval-request.ts';

const nowMs = Date.UTC(2026, 11, 15);

describe('requests that are decided together', () => {
  let count = 0;
  const asked = (changes: object = {}) => {
    count += 1;
    return {
      ...{ id: `r${count}`, agent_id: 'a', status: 'open' as const, expires_at: '2026-12-16T00:00:00Z' },
      ...{ refused_call, may_decide_together: true, changed_tools: [], details: { scope: 'files.write' } },
      ...changes,
    };
  };
  const idsOf = (sets: readonly (readonly { id: string }[])[]) => sets.map((set) => set.map(({ id }) => id));

  it('are of one agent, by its id, one server and one tool, the oldest first', () => {
    const [last, first] = [asked(), asked()];
    const others = [
      asked({ agent_id: 'b' }),
      asked({ refused_call: { ...refused_call, tool: 'edit_file' } }),
      asked({ refused_call: { ...refused_call, server: 'other' } }),
      asked({ details: { scope: 'files' } }),
      // Together they have the name of the tool above, and are no such tool.
      asked({ refused_call: { ...refused_call, server: 'files.write', tool: 'file' } }),
    ];
    expect(idsOf(setsOf([last, ...others, first], nowMs))).toEqual([[first.id, last.id]]);
  });

  it.each([
    ['is decided', { status: 'approved' as const }],
    ['has expired', { expires_at: '2026-12-14T00:00:00Z' }],
    ['is for others, for admins, at a sign-in or of a changed tool', { may_decide_together: false }],
    ['has no call', { refused_call: null }],
    ['has a call whose arguments were not kept', { refused_call: { ...refused_call, digest: null } }],
  ])('leave out what %s', (_what, changes) => {
    expect(setsOf([asked(), asked(changes)], nowMs)).toEqual([]);
  });

  it('are at most as many as somebody looks at', () => {
    const many = Array.from({ length: mostTogether + 5 }, () => asked());
    const [set = []] = setsOf(many, nowMs);
    expect(set).toHaveLength(mostTogether);
    expect(set[0]).toBe(many.at(-1));
  });

  it.each([
    ['one that is left alone', ['shown'], true, 'too-few'],
    ['a call that comes', ['shown', 'loading'], true, 'loading'],
    ['a call that nobody asked for', ['unread', 'shown'], true, 'loading'],
    ['a call that is for others to see', ['shown', 'withheld'], true, 'not-shown'],
    ['a call that could not be loaded', ['failed', 'shown'], true, 'not-shown'],
    ['a call that is another one by now', ['shown', 'replaced'], true, 'not-shown'],
    ['a call that was erased', ['shown', 'erased'], true, 'not-shown'],
    ['an end out of sight', ['shown', 'unreadable'], false, 'end-of-calls'],
    ['all in sight', ['shown', 'unreadable'], true, null],
  ] as const)('are not approved unseen: %s', (_what, kinds, wasInSight, expected) => {
    expect(unseenOfSet(kinds, wasInSight)).toBe(expected);
  });

  it.each([
    ['was decided', { status: 'denied' as const }, 'closed'],
    ['expired', { expires_at: '2026-12-14T00:00:00Z' }, 'closed'],
    ['is for others or of a changed tool by now', { may_decide_together: false }, 'by-itself'],
    ['has a call of another tool', { refused_call: { ...refused_call, tool: 'edit_file' } }, 'another-call'],
    ['has a call without its arguments', { refused_call: { ...refused_call, digest: null } }, 'another-call'],
  ])('lose what %s while they are looked at', (_what, changes, why) => {
    const [first, second, third] = [asked(), asked(), asked()];
    const now = { ...second, ...changes };
    expect(leftOf([first, second, third], [asked(), third, now, first], nowMs)).toEqual({
      ...{ left: [first, third], gone: [{ request: second, why }] },
    });
  });

  it('lose what is not listed any more, and are shown as they are listed', () => {
    const [first, second] = [asked(), asked()];
    const now = { ...first, refused_call: { ...refused_call, digest: 'b'.repeat(64) } };
    expect(leftOf([first, second], [now], nowMs)).toEqual({
      ...{ left: [now], gone: [{ request: second, why: 'not-listed' }] },
    });
  });

  it.each([
    ['status', { status: 'approved' as const }],
    ['call', { refused_call: { ...refused_call, digest: 'b'.repeat(64) } }],
    ['answers', { may_decide_together: false }],
    ['tools', { changed_tools: [{ server: 'files', tool: 'write_file', kind: 'new' as const }] }],
    ['identity', { id: 'other' }],
  ])('are looked at again when the %s of one is another', (_what, changes) => {
    const [first, second] = [asked(), asked()];
    const before = subjectOfSet([first, second], ['shown', 'shown']);
    expect(subjectOfSet([first, { ...second }], ['shown', 'shown'])).toBe(before);
    expect(subjectOfSet([first, { ...second, ...changes }], ['shown', 'shown'])).not.toBe(before);
    expect(subjectOfSet([first, second], ['shown', 'replaced'])).not.toBe(before);
  });

  it('are each approved for exactly their call, once', () => {
    expect(grantBody({ ...request, refused_call }, exactly)).toEqual({
      ...{ agent_subject_id: 'a', grant_type: 'tool_scope', details: { scope: 'files.write' } },
      ...{ scope: 'once', request_id: 'r', call_digest: digest, exact_call: true },
    });
  });

  const outcome = (error: unknown): Outcome => ({ requestId: 'r', grantId: null, error });
  const refused = outcome(new ApiFailure('No', { status: 409, code: 'already_decided' }));
  const lost = outcome(unreachable());

  it('say which counted, and send again only what nobody confirmed', () => {
    expect(allowedText([outcome(null), outcome(null)])).toBe('Allowed: 2 calls, each once');
    expect(allowedText([outcome(null), refused, lost])).toBe('Allowed: 1 of 3 calls');
    expect(allowedText([outcome(null)], 3)).toBe('Allowed: 1 of 3 calls');
    expect(deniedText([outcome(null), outcome(null)])).toBe('Denied: 2 requests');
    expect(deniedText([outcome(null), refused, lost])).toBe('Denied: 1 of 3 requests');
    expect([outcome(null), refused, lost].map(isUnconfirmed)).toEqual([false, false, true]);
  });

  it.each([
    ['after one that was refused', [outcome(null), refused, outcome(null)], true, 3],
    ['not after one that nobody answered', [outcome(null), lost, outcome(null)], true, 2],
    ['not once the dialog is closed', [outcome(null), outcome(null)], false, 1],
  ])('are sent one after another: %s', async (_when, answers, staysOpen, expected) => {
    const sent: Outcome[] = [];
    await sendEach(answers, async (answer) => answer, {
      isOpen: () => staysOpen || sent.length === 0,
      onOutcome: (answer) => sent.push(answer),
    });
    expect(sent).toEqual(answers.slice(0, expected));
  });

  it('are sent again where nobody confirmed it, and where one was not sent and is still there', () => {
    const sent = ['allowed', 'refused', 'lost', 'unsent', 'gone'].map((id) => ({ id }));
    const outcomes = new Map([
      ...([
        ['allowed', outcome(null)],
        ['refused', refused],
        ['lost', lost],
      ] as const),
    ]);
    expect(unsentOf(sent, outcomes, [{ id: 'unsent' }])).toEqual([{ id: 'lost' }, { id: 'unsent' }]);
  });
});

describe('what an agent asked before', () => {
  const earlier = { approved: 5, denied: 1, unanswered: 0, is_partial: false, decided: [] };
  it.each([
    [{}, true, 'asked for this 6 times in 30 days: 5 approved, 1 denied.'],
    [
      { approved: 0, unanswered: 2 },
      false,
      'asked for this 3 times in 30 days, in sessions that you may read: 1 denied, 2 not answered.',
    ],
    [{ approved: 0 }, true, 'asked for this once in 30 days: 1 denied.'],
    [{ approved: 0, denied: 0 }, true, 'has not asked for this in 30 days.'],
    [
      { is_partial: true },
      true,
      'asked for this 6 times among its last 1,000 requests: 5 approved, 1 denied.',
    ],
  ])('is counted %#', (changes, seesAll, expected) => {
    expect(earlierText({ ...earlier, ...changes }, { seesAll })).toBe(expected);
  });

  it.each([
    ['denied', null, 'Denied'],
    ['approved', null, 'Approved'],
    ['approved', { scope: 'once', exact_call: true, expires_at: null }, 'Approved, this call only'],
    ['approved', { scope: 'once', exact_call: false, expires_at: null }, 'Approved, once'],
    ['approved', { scope: 'session', exact_call: false, expires_at: null }, 'Approved, that session'],
    ['approved', { scope: 'persistent', exact_call: false, expires_at: null }, 'Approved, until revoked'],
  ] as const)('says how far: %s %j', (status, grant, expected) => {
    expect(decidedBeforeText({ status, grant })).toBe(expected);
  });
});

describe('the keys of the queue', () => {
  const press = {
    ...{ key: 'j', repeat: false, isComposing: false },
    ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
  };
  const there = { takesLetters: false, armed: true, isPending: false };
  it.each([
    ['the next', {}, there, 1],
    ['the one before', { key: 'k' }, there, -1],
    ['the next with Caps Lock', { key: 'J' }, there, 1],
    ['nothing with Shift', { key: 'J', shiftKey: true }, there, 0],
    ['nothing while a decision is on its way', {}, { ...there, isPending: true }, 0],
    ['nothing by another key', { key: 'a' }, there, 0],
    ['nothing while it is held', { repeat: true }, there, 0],
    ['nothing in a field', {}, { ...there, takesLetters: true }, 0],
    ['nothing before one could look', {}, { ...there, armed: false }, 0],
    ['nothing with a shortcut of the browser', { ctrlKey: true }, there, 0],
    ['nothing while a word is composed', { isComposing: true }, there, 0],
  ])('lead to %s', (_where, changes, where, expected) => {
    expect(stepOf({ ...press, ...changes }, where)).toBe(expected);
  });

  it('begin at the first, and end at the ends', () => {
    expect([movedTo(['a', 'b'], null, 1), movedTo(['a', 'b'], 'gone', -1)]).toEqual(['a', 'a']);
    expect([movedTo(['a', 'b'], 'a', 1), movedTo(['a', 'b'], 'b', -1)]).toEqual(['b', 'a']);
    expect([movedTo(['a', 'b'], 'b', 1), movedTo(['a', 'b'], 'a', -1), movedTo([], null, 1)]).toEqual([
      ...[null, null, null],
    ]);
  });

  it('go on from where a request stood that has left the list', () => {
    const before = ['a', 'b', 'c', 'd'];
    expect(movedTo(['a', 'd'], 'b', 1, before)).toBe('d');
    expect(movedTo(['a', 'd'], 'c', -1, before)).toBe('a');
    expect(movedTo(['new', 'a'], 'b', 1, before)).toBeNull();
    expect(movedTo(['a', 'd'], 'unknown', 1, before)).toBe('a');
  });
});
