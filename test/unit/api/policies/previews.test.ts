import { describe, expect, it } from '@jest/globals';
import { whyNotAskService, whyNotEndPreview, whyNotOpenPreview } from '../../../../api/policies/previews.ts';

const own = { operator_id: 'max', root_operator_id: 'max', schedule_maker_id: null };
const child = { operator_id: null, root_operator_id: 'max', schedule_maker_id: null };
const foreign = { operator_id: 'olga', root_operator_id: 'olga', schedule_maker_id: null };
const scheduled = { operator_id: null, root_operator_id: null, schedule_maker_id: 'olga' };
const scheduledByMax = { operator_id: null, root_operator_id: null, schedule_maker_id: 'max' };

describe('a preview', () => {
  it.each([
    ['member', own, true],
    ['member', child, true],
    ['member', foreign, false],
    ['member', scheduled, false],
    ['member', scheduledByMax, true],
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
});

describe('a service of a preview', () => {
  const ownOrigin = 'https://a.previews.example.net';
  it.each([
    // A navigation, a picture, a fetch and a form of its own pages.
    ['GET', '', 'cross-site', true],
    ['GET', '', 'none', true],
    ['GET', 'null', 'cross-site', true],
    ['POST', 'null', 'cross-site', true],
    ['DELETE', 'null', '', true],
    // A program, and a browser that would give its pages an origin.
    ['POST', '', '', true],
    ['POST', ownOrigin, 'same-origin', true],
    // Pages elsewhere.
    ['GET', 'https://evil.example', 'cross-site', false],
    ['POST', 'https://evil.example', 'cross-site', false],
    ['POST', 'https://evil.example', '', false],
    ['POST', 'https://b.previews.example.net', 'same-site', false],
    ['POST', 'null', 'same-site', false],
    ['POST', '', 'cross-site', false],
    ['OPTIONS', 'https://evil.example', '', false],
    ['POST', `${ownOrigin}.evil.example`, '', false],
  ])('is asked by %s from %j (%s): %s', (method, origin, site, may) => {
    expect(whyNotAskService({ method, origin, site, ownOrigin }) === null).toBe(may);
  });
});
