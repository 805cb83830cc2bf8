import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type GrantInQuestion, type GrantMaker, whyNotGrant } from '../../../../api/policies/grants.ts';
import { grantChoices, whyNotDeny } from '../../../../api/policies/permission-requests.ts';
import {
  agentOnlyGrantTypes,
  grantScope,
  grantType,
  requestableGrantType,
  scopeWidth,
} from '../../../../contract/grant.ts';
import { checkProperty } from '../../../support/property.ts';

const member: GrantMaker = { userId: 'max', role: 'member', membersGrantPersistent: false };
const admin: GrantMaker = { userId: 'ada', role: 'admin', membersGrantPersistent: false };
const trusted: GrantMaker = { ...member, membersGrantPersistent: true };

const question = (content: Partial<GrantInQuestion> = {}): GrantInQuestion => ({
  grantType: 'tool_scope',
  scope: 'once',
  userSubjectId: null,
  agentOwnerId: 'somebody',
  session: null,
  adminScope: false,
  ...content,
});
const own = { agentOwnerId: 'max' };
const people = (operator: string | null, root: string | null, maker: string | null = null) => ({
  session: { operator_id: operator, root_operator_id: root, schedule_maker_id: maker, isShared: false },
});
const driven = people('max', 'max');
const above = people(null, 'max');
const foreign = people('olga', 'olga');
const scheduled = people(null, null, 'olga');
const ofOwnSchedule = people(null, null, 'max');
const shared = { session: { ...foreign.session, isShared: true } };

describe('a grant may be made', () => {
  const table: [string, GrantMaker, Partial<GrantInQuestion>, boolean][] = [
    ['by a member for themselves', member, { userSubjectId: 'max' }, true],
    ['by a member for themselves, lasting', member, { userSubjectId: 'max', scope: 'persistent' }, true],
    ['by a member for another user', member, { userSubjectId: 'olga' }, false],
    ['by an admin for another user', admin, { userSubjectId: 'olga' }, true],
    ['by a member once for their own agent', member, own, true],
    ['by a member once for another’s agent', member, {}, false],
    ['by the operator once for the session’s agent', member, driven, true],
    ['by the operator for the session', member, { ...driven, scope: 'session' }, true],
    ['by the human above a child session', member, above, true],
    ['by a member who does not drive the session', member, foreign, false],
    ['by the agent’s owner in a session that they may not read', member, { ...own, ...foreign }, false],
    [
      'by the agent’s owner for a session that they may not read',
      member,
      { ...own, ...foreign, scope: 'session' },
      false,
    ],
    [
      'by the agent’s owner, lasting, as the answer to a session that they may not read',
      trusted,
      { ...own, ...foreign, scope: 'persistent' },
      false,
    ],
    ['by the agent’s owner in a session that is shared', member, { ...own, ...shared }, true],
    ['by a member in a session that is shared', member, shared, false],
    ['by the agent’s owner in a session of another’s schedule', member, { ...own, ...scheduled }, false],
    ['by the agent’s owner in a session of their own schedule', member, { ...own, ...ofOwnSchedule }, true],
    ['by the maker of a schedule in its session', member, ofOwnSchedule, false],
    ['by an admin in a session that nobody drives', admin, scheduled, true],
    ['by the operator, lasting', member, { ...driven, scope: 'persistent' }, false],
    ['by the operator, lasting, where members may', trusted, { ...driven, scope: 'persistent' }, false],
    ['by the agent’s owner, lasting', member, { ...own, scope: 'persistent' }, false],
    ['by the agent’s owner, lasting, where members may', trusted, { ...own, scope: 'persistent' }, true],
    ['by an admin, lasting', admin, { scope: 'persistent' }, true],
    [
      'by the owner for a secret in the agent’s environment',
      trusted,
      { ...own, grantType: 'agent_env' },
      false,
    ],
    ['by an admin for a secret in the agent’s environment', admin, { grantType: 'agent_env' }, true],
    ['by the owner for the key of a model', trusted, { ...own, grantType: 'model_key' }, false],
    ['by an admin for the key of a model', admin, { grantType: 'model_key' }, true],
    ['by the owner to spawn, for a session', member, { ...own, grantType: 'spawn', scope: 'session' }, true],
    ['by the operator for an admin-only scope', member, { ...driven, adminScope: true }, false],
    [
      'by a member for themselves for an admin-only scope',
      member,
      { userSubjectId: 'max', adminScope: true },
      false,
    ],
    ['by an admin for an admin-only scope', admin, { ...driven, adminScope: true }, true],
  ];
  it.each(table)('%s', (_who, maker, content, allowed) => {
    expect(whyNotGrant(maker, question(content)) === null).toBe(allowed);
  });

  it('by a member only for themselves, for what they own, or for what they drive', () => {
    const anybody = fc.constantFrom('max', 'olga', 'ada');
    const anyQuestion = fc.record({
      grantType: fc.constantFrom(...grantType.options),
      scope: fc.constantFrom(...grantScope.options),
      userSubjectId: fc.option(anybody),
      agentOwnerId: fc.option(anybody),
      session: fc.option(
        fc.record({
          operator_id: fc.option(anybody),
          root_operator_id: fc.option(anybody),
          schedule_maker_id: fc.option(anybody),
          isShared: fc.boolean(),
        }),
      ),
      adminScope: fc.boolean(),
    });
    checkProperty(
      fc.property(anyQuestion, fc.boolean(), (asked, membersGrantPersistent) => {
        fc.pre(asked.userSubjectId === null || !agentOnlyGrantTypes.has(asked.grantType));
        if (whyNotGrant({ ...member, membersGrantPersistent }, asked) === null) {
          const session = asked.session ?? { operator_id: null, root_operator_id: null };
          if (asked.session?.isShared === false) {
            expect([
              session.operator_id,
              session.root_operator_id,
              asked.session.schedule_maker_id,
            ]).toContain('max');
          }
          expect(asked.adminScope).toBe(false);
          expect(['agent_env', 'model_key']).not.toContain(asked.grantType);
          expect([
            asked.userSubjectId,
            ...(asked.userSubjectId === null
              ? [asked.agentOwnerId, session.operator_id, session.root_operator_id]
              : []),
          ]).toContain('max');
        }
        expect(whyNotGrant(admin, asked)).toBeNull();
      }),
    );
  });
});

describe('a request may be denied', () => {
  const asked = { grant_type: 'tool_scope', scope: 'persistent' } as const;
  it('by anyone who could grant it, or less of it', () => {
    const request = { request: asked, agentOwnerId: 'somebody', adminScope: false };
    expect(whyNotDeny(member, { ...request, ...driven })).toBeNull();
    expect(whyNotDeny(member, { ...request, ...foreign })).not.toBeNull();
    expect(whyNotDeny(admin, { ...request, ...foreign })).toBeNull();
    expect(whyNotDeny(member, { ...request, ...driven, adminScope: true })).not.toBeNull();
    expect(whyNotDeny(member, { ...request, ...own, ...foreign })).not.toBeNull();
    expect(whyNotDeny(member, { ...request, ...own, ...scheduled })).not.toBeNull();
    expect(whyNotDeny(member, { ...request, ...own, ...ofOwnSchedule })).toBeNull();
  });
});

describe('the refused call of a request', () => {
  const asked = { request: { grant_type: 'tool_scope', scope: 'once' }, adminScope: false } as const;
  const table: [who: string, maker: GrantMaker, content: object, may: boolean][] = [
    ['an admin', admin, { ...foreign, agentOwnerId: null }, true],
    ['the operator', member, { ...driven, agentOwnerId: null }, true],
    ['the operator at the root', member, { ...above, agentOwnerId: null }, true],
    ['the agent’s owner, who may not read the session', member, { ...foreign, ...own }, false],
    ['the agent’s owner, with whom the session is shared', member, { ...shared, ...own }, true],
    ['a reader who may not decide', member, { ...shared, agentOwnerId: 'olga' }, false],
    ['the operator, of a scope kept to admins', member, { ...driven, ...own, adminScope: true }, false],
    ['an admin, of a scope kept to admins', admin, { ...foreign, ...own, adminScope: true }, true],
  ];
  it.each(table)('is shown as its rule says to %s', (_who, maker, content, may) => {
    const question = { ...asked, ...driven, agentOwnerId: null, ...content };
    expect(whyNotDeny(maker, question) === null).toBe(may);
  });
});

describe('a request may be answered', () => {
  const anybody = fc.option(fc.constantFrom('max', 'olga'));
  const anyRequest = fc.record({
    request: fc.record({
      grant_type: fc.constantFrom(...requestableGrantType.options),
      scope: fc.constantFrom(...grantScope.options),
    }),
    session: fc.record({
      operator_id: anybody,
      root_operator_id: anybody,
      schedule_maker_id: anybody,
      isShared: fc.boolean(),
    }),
    agentOwnerId: anybody,
    adminScope: fc.boolean(),
  });

  it('with every grant that the maker may create, no wider than requested, and with no other', () => {
    checkProperty(
      fc.property(anyRequest, fc.constantFrom(member, trusted, admin), (asked, maker) => {
        const choices = grantChoices(maker, asked);
        const { request, session } = asked;
        for (const scope of grantScope.options) {
          const may = (userSubjectId: string | null) =>
            scopeWidth[scope] <= scopeWidth[request.scope] &&
            whyNotGrant(maker, { ...asked, grantType: request.grant_type, scope, userSubjectId }) === null;
          expect(choices.agent.includes(scope)).toBe(may(null));
          expect(choices.operator.includes(scope)).toBe(
            session.operator_id !== null && request.grant_type !== 'spawn' && may(session.operator_id),
          );
        }
        if (choices.agent.length + choices.operator.length > 0) {
          expect(whyNotDeny(maker, asked)).toBeNull();
        }
      }),
    );
  });
});
