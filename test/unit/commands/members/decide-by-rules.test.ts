import { describe, expect, it } from '@jest/globals';
import { changesByRules, mayLose, rolesByRules } from '../../../../commands/members/decide-by-rules.ts';
import type { GroupRule } from '../../../../contract/group-rule.ts';
import type { MemberSource, WorkspaceRole } from '../../../../contract/workspace.ts';

const rule = (value: string, workspace: string, role: WorkspaceRole): GroupRule => ({
  value,
  workspace,
  role,
});
const rules = [
  rule('staff', 'acme', 'member'),
  rule('leads', 'acme', 'admin'),
  rule('staff', 'labs', 'member'),
  rule('leads', 'unknown', 'admin'),
];
const rolesOf = (...values: string[]) => Object.fromEntries(rolesByRules(rules, new Set(values)));

const at = (slug: string, role: WorkspaceRole | null = null, made_by: MemberSource = 'rule') => ({
  slug,
  isClosed: false,
  membership: role === null ? null : { role, made_by },
});
const changes = (workspaces: ReturnType<typeof at>[], ...values: string[]) =>
  changesByRules(workspaces, rolesByRules(rules, new Set(values))).map(({ workspace, role, isLoss }) => [
    workspace.slug,
    role,
    isLoss,
  ]);

describe('roles by rules', () => {
  it('are the highest of a person, in whatever order rules and groups are', () => {
    expect(rolesOf('staff', 'leads')).toEqual({ acme: 'admin', labs: 'member', unknown: 'admin' });
    const reversed = rolesByRules(rules.toReversed(), new Set(['leads', 'staff']));
    expect(Object.fromEntries(reversed)).toEqual(rolesOf('staff', 'leads'));
  });

  it('are found among 500 groups, and there are none without groups', () => {
    const groups = Array.from({ length: 499 }, (_, index) => `group-${index}`);
    expect(rolesOf(...groups, 'staff')).toEqual({ acme: 'member', labs: 'member' });
    expect(rolesOf()).toEqual({});
  });

  it('are given for exactly the value, not for one that is like it', () => {
    expect(rolesOf('Staff', 'staff ', '/staff', 'staf', '')).toEqual({});
  });
});

describe('changes by rules', () => {
  it('add, raise, lower and end what a rule made', () => {
    expect(changes([at('acme'), at('labs')], 'staff')).toEqual([
      ['acme', 'member', false],
      ['labs', 'member', false],
    ]);
    expect(changes([at('acme', 'member')], 'leads')).toEqual([['acme', 'admin', false]]);
    expect(changes([at('acme', 'admin'), at('labs', 'member')], 'staff')).toEqual([['acme', 'member', true]]);
    expect(changes([at('acme', 'member'), at('labs', 'member')])).toEqual([
      ['acme', null, true],
      ['labs', null, true],
    ]);
  });

  it('are none where all is as the rules say', () => {
    expect(changes([at('acme', 'member'), at('labs', 'member')], 'staff')).toEqual([]);
  });

  it('end what a rule made where no rule names the workspace any more', () => {
    expect(changes([at('former', 'member')], 'staff')).toEqual([['former', null, true]]);
  });

  it.each(['staff', 'leads', 'nothing'])('leave what a person made, to a person with %s', (value) => {
    expect(changes([at('acme', 'member', 'person'), at('labs', 'admin', 'person')], value)).toEqual([]);
  });

  it('only end and lower memberships in a closed workspace', () => {
    const closed = { ...at('acme'), isClosed: true };
    expect(changes([closed], 'staff')).toEqual([]);
    expect(changes([{ ...at('acme', 'member'), isClosed: true }], 'leads')).toEqual([]);
    expect(changes([{ ...at('acme', 'member'), isClosed: true }])).toEqual([['acme', null, true]]);
    const admin = { ...at('labs', 'admin'), isClosed: true };
    expect(changes([admin], 'staff')).toEqual([['labs', 'member', true]]);
  });
});

describe('how many rules may remove', () => {
  const most = (members: number, percent: number) => {
    let lost = 0;
    while (lost < members && mayLose({ members: members - lost, lost, gone: lost }, percent)) {
      lost += 1;
    }
    return lost;
  };

  it.each([
    ...[
      [1, 20, 1],
      [4, 20, 1],
      [5, 20, 1],
      [10, 20, 2],
      [14, 20, 2],
      [500, 20, 100],
    ],
    ...[
      [10, 0, 0],
      [10, 1, 1],
      [10, 100, 10],
    ],
  ])('of %i members at %i percent is %i', (members, percent, lost) => {
    expect(most(members, percent)).toBe(lost);
  });

  it('is of those who are there or went, and counts nobody twice who is a member still', () => {
    expect(mayLose({ members: 9, lost: 1, gone: 1 }, 20)).toBe(true);
    expect(mayLose({ members: 9, lost: 1, gone: 0 }, 20)).toBe(false);
  });
});
