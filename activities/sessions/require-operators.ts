import type { Session } from '../../contract/session.ts';
import type { Transaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/lock-members.ts';
import { launchRefused } from '../failures.ts';

/**
 * Throws `launch_refused` unless the session's operators are members of its workspace. They stay members until the
 * transaction ends, so that a later removal finds the session and ends it.
 */
export async function requireOperators(
  trx: Transaction,
  { workspace_id: workspaceId, operator_id, root_operator_id }: Session,
): Promise<void> {
  const people = [operator_id, root_operator_id].filter((id) => id !== null);
  const members = await lockMembers(trx, workspaceId, people);
  if (!people.every((id) => members.has(id))) {
    throw launchRefused('The operator of the session is not a member of the workspace any more');
  }
}
