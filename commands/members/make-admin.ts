/** The operator's way in where rules for groups, or people, left nobody who can manage a workspace. */
import { systemActor } from '../../contract/session-event.ts';
import type { User } from '../../contract/workspace.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { readWorkspaceId } from '../../store/workspaces/workspaces.ts';
import { putMember } from './members.ts';

/** What keeps a person from being made an admin, in a sentence for the operator. Nothing was changed. */
export class NotMadeAdminError extends Error {}

/**
 * Makes the person an admin of the workspace and audits it as the operator's; no rule ends it. Repeated, it
 * changes nothing. Throws `NotMadeAdminError`.
 */
export function makeAdmin(db: Db, { slug, userId }: { slug: string; userId: string }): Promise<User> {
  return inTransaction(db, async (trx) => {
    const workspaceId = await readWorkspaceId(trx, slug);
    if (workspaceId === null) {
      throw new NotMadeAdminError(`There is no workspace "${slug}"`);
    }
    const data = { by_operator: true };
    const put = await putMember(trx, { workspaceId, userId, role: 'admin', by: systemActor, data });
    if (put.result !== 'done') {
      throw new NotMadeAdminError(`Nobody has the id ${userId}: the person has to sign in once`);
    }
    return put.member.user;
  });
}
