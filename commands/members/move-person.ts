/**
 * An identity provider may give a person a new subject: what they are in workspaces then goes with them, by
 * an operator's hand alone.
 */
import { systemActor } from '../../contract/session-event.ts';
import type { User } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { removeRenewalsOfUser } from '../../store/sign-ins/renewals.ts';
import { revokeSignInsOfUser } from '../../store/sign-ins/sign-ins.ts';
import { exchangeIdentity, type Identity, lockUserByIdentity } from '../../store/users/users.ts';
import { listWorkspacesOfUser } from '../../store/workspaces/workspaces.ts';

/** What keeps a person from being moved, in a sentence for the operator. Nothing was changed. */
export class NotMovedError extends Error {}

/**
 * Gives the person whom `from` signs in as to `to`, in one transaction: memberships, agents, grants and
 * history stay theirs, every sign-in of both ends, and each of their workspaces audits it. A person without
 * workspaces whom `to` signs in as already gets `from` in exchange, so that nothing is deleted and the same
 * command with both exchanged undoes it. With `isDryRun` nothing is changed. Returns the person and the slugs
 * of their workspaces. Throws `NotMovedError`.
 */
export function movePerson(
  db: Db,
  from: Identity,
  to: Identity,
  isDryRun: boolean,
): Promise<{ user: User; workspaces: string[] }> {
  return inTransaction(db, async (trx) => {
    const person = await lockUserByIdentity(trx, from);
    const other = await lockUserByIdentity(trx, to);
    if (person === null) {
      const now = other === null ? '' : `; ${textOf(to)} is "${other.name}" (${other.id})`;
      throw new NotMovedError(`Nobody has signed in as ${textOf(from)}${now}`);
    }
    if (person.id === other?.id) {
      throw new NotMovedError('Both name the same person');
    }
    const taken = other === null ? [] : await listWorkspacesOfUser(trx, other.id);
    if (taken.length > 0) {
      const slugs = taken.map(({ slug }) => slug).join(', ');
      throw new NotMovedError(
        `${textOf(to)} is a member of ${slugs} already; remove them there first, since they would lose it`,
      );
    }
    const workspaces = await listWorkspacesOfUser(trx, person.id);
    if (!isDryRun) {
      await exchangeIdentity(trx, person.id, other?.id ?? null, { from, to });
      for (const { id } of other === null ? [person] : [person, other]) {
        await revokeSignInsOfUser(trx, id);
        await removeRenewalsOfUser(trx, id);
      }
      for (const { id } of workspaces) {
        await appendAuditEvent(trx, {
          workspaceId: id,
          event: 'workspace.member.moved',
          actor: systemActor,
          resource: { type: 'user', id: person.id, name: person.name },
          data: { from, to },
        });
      }
    }
    return { user: person, workspaces: workspaces.map(({ slug }) => slug) };
  });
}

const textOf = ({ issuer, subject }: Identity) => `(${issuer}, ${subject})`;
