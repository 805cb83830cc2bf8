import { describe, expect, it } from '@jest/globals';
import { whyNotGrant } from '../../../../api/policies/grants.ts';
import {
  whyNotChangeSession,
  whyNotEndSession,
  whyNotMessageSession,
  whyNotReadSession,
} from '../../../../api/policies/sessions.ts';

const own = { operator_id: 'max', root_operator_id: 'max', schedule_maker_id: null };
const child = { operator_id: null, root_operator_id: 'max', schedule_maker_id: null };
const foreign = { operator_id: 'olga', root_operator_id: 'olga', schedule_maker_id: null };
const scheduled = { operator_id: null, root_operator_id: null, schedule_maker_id: 'olga' };
const scheduledByMax = { operator_id: null, root_operator_id: null, schedule_maker_id: 'max' };

describe('a session that a schedule started', () => {
  it('is not its maker’s to decide about, nor to mute', () => {
    const maker = { userId: 'max', role: 'member', membersGrantPersistent: true } as const;
    const asked = { grantType: 'tool_scope', scope: 'once', userSubjectId: null, adminScope: false } as const;
    const ofOlga = { ...asked, session: { ...scheduledByMax, isShared: false }, agentOwnerId: 'olga' };
    expect(whyNotGrant(maker, ofOlga)).toMatch('needs a workspace admin, the agent’s owner');
    expect(whyNotGrant(maker, { ...ofOlga, agentOwnerId: 'max' })).toBeNull();
    expect(whyNotChangeSession(maker, scheduledByMax)).toMatch('Only the operator');
  });
});

describe('a session', () => {
  it.each([
    // role, session, read, message, terminate
    ['member', own, true, true, true],
    ['member', child, true, false, true],
    ['member', foreign, false, false, false],
    ['member', scheduled, false, false, false],
    ['member', scheduledByMax, true, false, true],
    ['admin', own, true, true, true],
    ['admin', child, true, false, true],
    ['admin', foreign, true, false, true],
    ['admin', scheduled, true, false, true],
  ] as const)(
    'allows a %s with %j to read: %s, message: %s, end: %s',
    (role, session, read, message, end) => {
      const visitor = { userId: 'max', role };
      expect(whyNotReadSession(visitor, session, false) === null).toBe(read);
      expect(whyNotMessageSession(visitor, session) === null).toBe(message);
      expect(whyNotEndSession(visitor, session) === null).toBe(end);
    },
  );

  it('that is shared is read by every member, and driven by none of them', () => {
    const visitor = { userId: 'max', role: 'member' } as const;
    expect(whyNotReadSession(visitor, foreign, true)).toBeNull();
    expect(whyNotMessageSession(visitor, foreign)).toMatch('Only the operator');
    expect(whyNotEndSession(visitor, foreign)).toMatch('Only its operator');
  });
});
