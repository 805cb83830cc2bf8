import type { Session } from '../../contract/session.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/lock-members.ts';

/**
 * Returns whether the session's operators, and who made its schedule, are members of its workspace. In an open transaction they stay members until
 * it ends, so that a later removal finds the session and ends it.
 */
export function lockOperators(
  db: Db,
  { workspace_id: workspaceId, operator_id, root_operator_id, schedule_maker_id }: Session,
): Promise<boolean> {
  const people = [operator_id, root_operator_id, schedule_maker_id].filter((id) => id !== null);
  return inTransaction(db, async (trx) => {
    const members = await lockMembers(trx, workspaceId, people);
    return people.every((id) => members.has(id));
  });
}
