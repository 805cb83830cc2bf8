import { describe, expect, it } from '@jest/globals';
import { callCountTexts } from '../../../web/src/pages/sessions/call-text.ts';
import { elapsedText } from '../../../web/src/text/time-text.ts';

describe('the line of a session’s state', () => {
  const ok = { outcome: 'ok' } as const;
  const refused = { outcome: 'permission_required' } as const;

  it.each([
    [[], false, '', ''],
    [[ok], false, '1 call', ''],
    [[ok, refused, { outcome: 'refused' } as const], false, '3 calls', ', 2 refused'],
    [[ok, refused], true, '2+ calls', ', 1+ refused'],
  ])('counts calls, and those that reached no server: %j', (calls, isPart, all, some) => {
    expect(callCountTexts({ calls, isPart })).toEqual({ all, refused: some });
  });

  it.each([
    [-5, '0:00'],
    [399_900, '6:39'],
    [3_727_000, '1:02:07'],
  ])('counts %d ms as %s', (ms, text) => {
    expect(elapsedText(ms)).toBe(text);
  });
});
