/** What the operator's rules for groups make of a person's memberships. Pure. */
import type { GroupRule } from '../../contract/group-rule.ts';
import type { MemberSource, WorkspaceRole } from '../../contract/workspace.ts';

/** By the workspace's slug: the highest role that a rule gives to a person with these values. */
export function rolesByRules(
  rules: readonly GroupRule[],
  values: ReadonlySet<string>,
): ReadonlyMap<string, WorkspaceRole> {
  const roles = new Map<string, WorkspaceRole>();
  for (const { value, workspace, role } of rules) {
    if (values.has(value) && roles.get(workspace) !== 'admin') {
      roles.set(workspace, role);
    }
  }
  return roles;
}

interface RuledMembership {
  slug: string;
  isClosed: boolean;
  membership: { role: WorkspaceRole; made_by: MemberSource } | null;
}

export interface RuleChange<Workspace> {
  workspace: Workspace;
  /** Null: the membership ends. */
  role: WorkspaceRole | null;
  /** Less than before: what a provider that answers wrongly must not do to many. */
  isLoss: boolean;
}

/**
 * The changes that bring a person's memberships to what the rules say, in the order given; none where they
 * are so. A membership that a person made is never changed. A closed workspace gives nobody more.
 */
export function changesByRules<Workspace extends RuledMembership>(
  workspaces: readonly Workspace[],
  roles: ReadonlyMap<string, WorkspaceRole>,
): RuleChange<Workspace>[] {
  return workspaces.flatMap((workspace) => {
    const role = roles.get(workspace.slug) ?? null;
    const before = workspace.membership;
    const isKept = before?.made_by === 'person' || (before?.role ?? null) === role;
    const isLoss = before?.role === 'admin' || role === null;
    return isKept || (workspace.isClosed && !isLoss) ? [] : [{ workspace, role, isLoss }];
  });
}

/**
 * Whether rules may remove one more of a workspace's people, or make them a member again, within an hour: a
 * share of those who are there or went, and always one, so that somebody can leave a small workspace; at 0
 * percent none.
 */
export function mayLose(
  { members, lost, gone }: { members: number; lost: number; gone: number },
  percent: number,
): boolean {
  const most = percent === 0 ? 0 : Math.max(1, Math.floor(((members + gone) * percent) / 100));
  return lost < most;
}
