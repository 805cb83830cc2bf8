/** The operator's rules for groups, as a person signs in and as their sign-in is renewed. */
import { type AppliedRules, type AtRenewal, applyGroupRules } from '../../commands/members/apply-rules.ts';
import type { ApiConfig } from '../../config/api.ts';
import type { Groups } from '../../contract/group-rule.ts';
import type { User } from '../../contract/workspace.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type FollowDependencies, followSchedules } from '../schedules/follow.ts';
import { tellEnding } from '../sessions/tell-ending.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import { signInSeconds } from './session-cookie.ts';

export interface GroupDependencies extends Pick<ApiDependencies, 'db' | 'log'> {
  config: Pick<ApiConfig, 'OIDC_GROUP_RULES' | 'OIDC_RULE_REMOVALS_PERCENT' | 'OIDC_RENEWAL_MINUTES'>;
  workflows: Pick<WorkflowClient, 'signalSession'> & FollowDependencies['workflows'];
}

/**
 * While the provider does not answer, a sign-in holds for so much longer than it has to be renewed, and is
 * then over: an outage signs nobody out at once, and keeps nobody in.
 */
export const graceSeconds = 15 * 60;

/** How long a sign-in holds unless it is renewed: `renewable` where the provider gave a refresh token. */
export function signInLifetime(
  { OIDC_GROUP_RULES: rules, OIDC_RENEWAL_MINUTES: minutes }: GroupDependencies['config'],
  { renewable }: { renewable: boolean },
): number {
  const seconds = minutes * 60 + (renewable ? graceSeconds : 0);
  return rules.length === 0 ? signInSeconds : Math.min(signInSeconds, seconds);
}

/** Brings the person's memberships to what the rules say. `renewal` is null at a sign-in. */
export async function applyGroups(
  dependencies: GroupDependencies,
  user: Pick<User, 'id' | 'email'>,
  groups: Groups,
  renewal: AtRenewal | null = null,
): Promise<void> {
  const { db, config } = dependencies;
  if (config.OIDC_GROUP_RULES.length === 0) {
    return;
  }
  const settings = { rules: config.OIDC_GROUP_RULES, lossPercent: config.OIDC_RULE_REMOVALS_PERCENT };
  const applied = await applyGroupRules(db, user, groups, { ...settings, renewal });
  if (applied === null) {
    return;
  }
  report(dependencies, user.id, groups, applied);
  await Promise.all([
    followSchedules(dependencies, applied.pausedScheduleIds),
    ...applied.endedSessionIds.map((id) => tellEnding(dependencies, id)),
  ]);
}

/** Never the values: what groups a person has is between them and their company. */
function report(
  { log }: GroupDependencies,
  userId: string,
  groups: Groups,
  { heldBack, unknownWorkspaces }: AppliedRules,
): void {
  const about = { user_id: userId };
  if ('problem' in groups) {
    log.warn({ ...about, reason: groups.problem }, 'groups of a person are not known; nothing was changed');
    return;
  }
  for (const { workspace, reason } of heldBack) {
    log.warn({ ...about, workspace, reason }, 'a rule for groups was held back');
  }
  if (unknownWorkspaces.length > 0) {
    log.warn({ ...about, workspaces: unknownWorkspaces }, 'rules for groups name unknown workspaces');
  }
}
