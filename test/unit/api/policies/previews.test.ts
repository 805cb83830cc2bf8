import { describe, expect, it } from '@jest/globals';
import { whyNotEndPreview, whyNotOpenFrom, whyNotOpenPreview } from '../../../../api/policies/previews.ts';

const own = { operator_id: 'max', root_operator_id: 'max' };
const child = { operator_id: null, root_operator_id: 'max' };
const foreign = { operator_id: 'olga', root_operator_id: 'olga' };
const scheduled = { operator_id: null, root_operator_id: null };

describe('a preview', () => {
  it.each([
    ['member', own, true],
    ['member', child, true],
    ['member', foreign, false],
    ['member', scheduled, false],
    ['admin', foreign, true],
    ['admin', scheduled, true],
  ] as const)('of a session is ended by a %s with %j: %s', (role, session, may) => {
    expect(whyNotEndPreview({ userId: 'max', role }, session) === null).toBe(may);
  });

  it.each([
    ['workspace', 'member', foreign, false, true],
    ['workspace', 'member', scheduled, false, true],
    ['session', 'member', own, false, true],
    ['session', 'member', child, false, true],
    ['session', 'member', foreign, false, false],
    ['session', 'member', foreign, true, true],
    ['session', 'admin', scheduled, false, true],
  ] as const)(
    'for the %s is opened by a %s with %j, shared %s: %s',
    (audience, role, session, isShared, may) => {
      expect(whyNotOpenPreview({ audience }, { userId: 'max', role }, session, isShared) === null).toBe(may);
    },
  );

  it.each([
    ['', true],
    ['same-origin', true],
    ['none', true],
    ['same-site', false],
    ['cross-site', false],
    ['anything', false],
  ])('is opened from “%s”: %s', (site, may) => {
    expect(whyNotOpenFrom(site) === null).toBe(may);
  });
});
