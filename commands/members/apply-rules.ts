/** Brings what a person is in workspaces to what the operator's rules make of their groups. */
import type { GroupRule, Groups, GroupsProblem } from '../../contract/group-rule.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { User } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  countRuleLosses,
  listRuledWorkspaces,
  lockWorkspacesForMembers,
  type RuledWorkspace,
  wasHeldBackLately,
  wasRemovedByPerson,
} from '../../store/members/by-rule.ts';
import { changesByRules, mayLose, type RuleChange, rolesByRules } from './decide-by-rules.ts';
import { putMember, removeMember } from './members.ts';

export interface RuleSettings {
  rules: readonly GroupRule[];
  /** Of a workspace's members: whom rules may remove or make members again within an hour. */
  lossPercent: number;
  /** Null at a sign-in. Nobody signed in for a renewal: whom a person removed does not come back. */
  renewal: AtRenewal | null;
}

/** What belongs to one transaction with a renewal. */
export interface AtRenewal {
  /** Whether it is still to be done. */
  begin?: (trx: Transaction) => Promise<boolean>;
  finish: (trx: Transaction, applied: AppliedRules) => Promise<void>;
}

/** Why a rule did not do what it says. */
type HeldBack = GroupsProblem | 'last_admin' | 'too_many_changes';

export interface AppliedRules {
  /** For the operator. Each is in the audit trail of its workspace too, once a day. */
  heldBack: { workspace: string; reason: HeldBack }[];
  /** Slugs that rules name for this person, and no workspace has. */
  unknownWorkspaces: string[];
  /** Temporal has still to be notified of both (`removeMember`). */
  endedSessionIds: string[];
  pausedScheduleIds: string[];
}

/**
 * Applies the rules to one person in one transaction: all of it or nothing, and again it changes nothing.
 * It adds and changes only what rules made, ends memberships as the removal of a member does, and never
 * takes the last admin. Groups that are not known change nothing. Null where the renewal had nothing to do
 * any more.
 */
export function applyGroupRules(
  db: Db,
  user: Pick<User, 'id' | 'email'>,
  groups: Groups,
  settings: RuleSettings,
): Promise<AppliedRules | null> {
  return inTransaction(db, async (trx) => {
    if ((await settings.renewal?.begin?.(trx)) === false) {
      return null;
    }
    const applied = await applyWithin(trx, user, groups, settings);
    await settings.renewal?.finish(trx, applied);
    return applied;
  });
}

async function applyWithin(
  trx: Transaction,
  user: Pick<User, 'id' | 'email'>,
  groups: Groups,
  settings: RuleSettings,
): Promise<AppliedRules> {
  const applied: AppliedRules = {
    heldBack: [],
    unknownWorkspaces: [],
    endedSessionIds: [],
    pausedScheduleIds: [],
  };
  if ('problem' in groups) {
    for (const workspace of await listRuledWorkspaces(trx, user.id, [])) {
      await holdBack(trx, user, { workspace, reason: groups.problem }, applied);
    }
    return applied;
  }
  const roles = rolesByRules(settings.rules, groups.values);
  const slugs = [...roles.keys()];
  const found = await listRuledWorkspaces(trx, user.id, slugs);
  applied.unknownWorkspaces = slugs.filter((slug) => found.every((each) => each.slug !== slug));
  const ids = changesByRules(found, roles).map(({ workspace }) => workspace.id);
  if (ids.length > 0) {
    await lockWorkspacesForMembers(trx, ids);
    // Read again: who held the locks may have changed them.
    const now = await listRuledWorkspaces(trx, user.id, slugs);
    for (const change of changesByRules(now, roles).filter(({ workspace }) => ids.includes(workspace.id))) {
      await applyChange(trx, user, { change, settings }, applied);
    }
  }
  return applied;
}

/** Under the workspace's lock, so that the people of a workspace are counted one after the other. */
async function applyChange(
  trx: Transaction,
  user: Pick<User, 'id' | 'email'>,
  { change, settings }: { change: RuleChange<RuledWorkspace>; settings: RuleSettings },
  applied: AppliedRules,
): Promise<void> {
  const { workspace, role, isLoss } = change;
  if (isLoss && !mayLose(await countRuleLosses(trx, workspace.id), settings.lossPercent)) {
    await holdBack(trx, user, { workspace, reason: 'too_many_changes' }, applied);
    return;
  }
  const who = { workspaceId: workspace.id, userId: user.id };
  if (settings.renewal !== null && workspace.membership === null && (await wasRemovedByPerson(trx, who))) {
    return;
  }
  const data = { by_rule: true, ...(isLoss ? { lost_by_rule: true } : {}) };
  const member = { ...who, by: systemActor, data };
  const done =
    role === null
      ? await removeMember(trx, member)
      : await putMember(trx, { ...member, role, madeBy: 'rule' });
  if (done.result === 'last_admin') {
    await holdBack(trx, user, { workspace, reason: 'last_admin' }, applied);
  } else if ('endedSessionIds' in done) {
    applied.endedSessionIds.push(...done.endedSessionIds);
    applied.pausedScheduleIds.push(...done.pausedScheduleIds);
  }
}

/** Once a day in the trail: renewals repeat it every hour. */
async function holdBack(
  trx: Transaction,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  { workspace, reason }: { workspace: RuledWorkspace; reason: HeldBack },
  { heldBack }: AppliedRules,
): Promise<void> {
  heldBack.push({ workspace: workspace.slug, reason });
  if (!(await wasHeldBackLately(trx, { workspaceId: workspace.id, userId, reason }))) {
    await appendAuditEvent(trx, {
      workspaceId: workspace.id,
      event: 'workspace.member.rules_held_back',
      actor: systemActor,
      resource: { type: 'user', id: userId, name: email },
      data: { reason },
    });
  }
}
