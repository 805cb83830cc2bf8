/** An identity provider may give a person a new subject: what they are in workspaces then goes with them, by an operator's hand alone. */
import { randomUUID } from 'node:crypto';
import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import type { Db, Transaction } from '../../store/database.ts';

/** As a provider names a person. An e-mail address is none: it may be somebody else's by now. */
export interface Identity {
  issuer: string;
  subject: string;
}

export interface MovedPerson {
  user: { id: string; name: string; email: string };
  /** Slugs, in the order of their names. */
  workspaces: string[];
}

/** What keeps a person from being moved, in a sentence for the operator. Nothing was changed. */
export class NotMovedError extends Error {}

/**
 * Gives the person whom `from` signs in as to `to`, in one transaction: memberships, agents, grants and history stay theirs, every sign-in of
 * both ends, and each of their workspaces audits it. A person without workspaces whom `to` signs in as already gets `from` in exchange, so
 * that nothing is deleted and the same command with both exchanged undoes it. With `isDryRun` nothing is changed. Throws `NotMovedError`.
 */
export function movePerson(db: Db, from: Identity, to: Identity, isDryRun: boolean): Promise<MovedPerson> {
  return db.transaction(async (trx) => {
    const person = await lockUser(trx, from);
    const other = await lockUser(trx, to);
    if (person === undefined) {
      const now = other === undefined ? '' : `; ${textOf(to)} is "${other.name}" (${other.id})`;
      throw new NotMovedError(`Nobody has signed in as ${textOf(from)}${now}`);
    }
    if (person.id === other?.id) {
      throw new NotMovedError('Both name the same person');
    }
    const taken = other === undefined ? [] : await workspacesOf(trx, other.id);
    if (taken.length > 0) {
      const slugs = taken.map(({ slug }) => slug).join(', ');
      throw new NotMovedError(
        `${textOf(to)} is a member of ${slugs} already; remove them there first, since they would lose it`,
      );
    }
    const workspaces = await workspacesOf(trx, person.id);
    if (!isDryRun) {
      if (other !== undefined) {
        await trx('users')
          .where({ id: other.id })
          .update({ subject: `moving:${randomUUID()}` });
      }
      await trx('users').where({ id: person.id }).update(to);
      if (other !== undefined) {
        await trx('users').where({ id: other.id }).update(from);
      }
      await trx('sign_ins')
        .whereIn('user_id', [person.id, ...(other === undefined ? [] : [other.id])])
        .where({ revoked_at: null })
        .update({ revoked_at: trx.fn.now() });
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

/** Everybody who has this address, in any case; the longest known first. An address says nothing of who somebody is. */
export async function listPeopleByAddress(
  db: Db,
  address: string,
): Promise<(Identity & { id: string; name: string; workspaces: string[] })[]> {
  const people = await db('users')
    .whereRaw('lower(email) = lower(?)', [address])
    .orderBy('created_at')
    .select('id', 'name', 'issuer', 'subject');
  return await Promise.all(
    people.map(async (person) => ({
      ...person,
      workspaces: (await workspacesOf(db, person.id)).map(({ slug }) => slug),
    })),
  );
}

const lockUser = (trx: Transaction, { issuer, subject }: Identity) =>
  trx('users')
    .where({ issuer, subject })
    .forUpdate()
    .first<MovedPerson['user'] | undefined>('id', 'name', 'email');

const workspacesOf = (db: Db, userId: string): Promise<{ id: string; slug: string }[]> =>
  db('members')
    .join('workspaces', 'workspaces.id', 'members.workspace_id')
    .where({ user_id: userId })
    .orderBy('slug')
    .select('workspaces.id', 'slug');

const textOf = ({ issuer, subject }: Identity) => `(${issuer}, ${subject})`;
