import { describe, expect, it } from '@jest/globals';
import { namedDays, scaleTop } from '../../../web/src/pages/insights/chart-scale.ts';
import {
  decisionTimeText,
  groupedCalls,
  outcomeSums,
  requestSums,
} from '../../../web/src/pages/insights/numbers.ts';
import { rowLinks } from '../../../web/src/pages/insights/row-links.ts';
import { countsText, requestParts } from '../../../web/src/text/day-counts.ts';
import { shortNumberText } from '../../../web/src/text/number-text.ts';

const none = {
  ...{ ok: 0, tool_error: 0, protocol_error: 0, permission_required: 0, waiting: 0, refused: 0 },
  ...{ server_unavailable: 0, cancelled: 0, unknown: 0 },
};

describe('the scale of a chart', () => {
  it.each([
    [0, 2],
    [3, 4],
    [12, 12],
    [13, 16],
    [21, 40],
    [647, 800],
    [12_345, 16_000],
  ])('holds %d up to %d', (most, top) => {
    expect(scaleTop(most)).toBe(top);
  });

  it('names each day of a week, else one a week, always the last', () => {
    expect(namedDays(7).map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(namedDays(30).map(({ at }) => at)).toEqual([1, 8, 15, 22, 29]);
    expect(
      namedDays(30)
        .filter(({ isOnPhone }) => isOnPhone)
        .map(({ at }) => at),
    ).toEqual([1, 15, 29]);
    expect(namedDays(90).at(-1)?.at).toBe(89);
  });
});

it('the numbers lead admins to what they count, and members to their sessions', () => {
  const from = '2026-11-01T00:00:00.000Z';
  const since = new URLSearchParams({ from });
  const of = (isAdmin: boolean) => {
    const links = rowLinks({ slug: 'acme', isAdmin }, from);
    return [links.requests('denied'), links.callsWith('ok'), links.callsOf('refused')];
  };
  expect(of(true)).toEqual([
    `/acme/approvals?status=denied&${since}`,
    `/acme/audit?kind=calls&outcome=ok&${since}`,
    `/acme/audit?kind=refusals&${since}`,
  ]);
  expect(of(false)).toEqual(Array(3).fill('/acme/sessions'));
});

describe('the numbers', () => {
  it('say how many of the requests that ended were approved', () => {
    const day = { day: '2026-11-30', approved: 159, denied: 12, expired: 7, cancelled: 2, open: 3 };
    const numbers = requestSums([day, { ...day, approved: 0, denied: 0, expired: 0 }]);
    expect(numbers).toEqual({
      ...{ held: 188, approved: 159, expired: 7, open: 6, ended: 178, decided: 171, approvedPercent: 89 },
    });
    expect(requestSums([]).approvedPercent).toBeNull();
    expect(countsText(requestParts, { day: day.day, counts: [5, 0, 1, 0, 0] })).toBe('5 approved, 1 expired');
  });

  it('put calls together by whether they passed, failed, were refused or had no answer', () => {
    const day = { ...none, day: '2026-11-30', ok: 5, permission_required: 2, refused: 1, unknown: 4 };
    expect(groupedCalls([day])).toEqual([
      { day: '2026-11-30', passed: 5, failed: 0, refused: 3, unanswered: 4 },
    ]);
    expect(outcomeSums([day, { ...day, ok: 0 }])).toEqual([
      { outcome: 'unknown', count: 8 },
      { outcome: 'ok', count: 5 },
      { outcome: 'permission_required', count: 4 },
      { outcome: 'refused', count: 2 },
    ]);
  });

  it.each([
    [0.4, '0 s'],
    [192, '3 min 12 s'],
    [7290, '2 h 2 min'],
  ])('say %d seconds as %s', (seconds, text) => {
    expect(decisionTimeText(seconds)).toBe(text);
  });

  it('shorten what is large', () => {
    expect([9999, 915_000, 1_940_000].map(shortNumberText)).toEqual(['9,999', '915 k', '1.9 M']);
  });
});
