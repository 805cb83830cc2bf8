/** Members of a workspace and their roles. */
import type { Knex } from 'knex';
import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import {
  type Member,
  type MemberSource,
  user,
  type Workspace,
  type WorkspaceRole,
  workspaceRole,
} from '../../contract/workspace.ts';
import { type Db, prepared, type Transaction } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { presentWorkspace, workspaceRow } from '../workspaces/workspaces.ts';

const row = workspaceRow.extend({ role: workspaceRole });

export type MembershipKey = { slug: string } | { workspaceId: string };

/**
 * The workspace and the user's role in it, or null when there is no such workspace or the user is not a
 * member. Read at each use, so that a removal takes effect with the next request.
 */
export async function readMembership(
  db: Db,
  userId: string,
  key: MembershipKey,
): Promise<{ workspace: Workspace; role: WorkspaceRole } | null> {
  const bySlug = 'slug' in key;
  const statement = prepared(
    db,
    bySlug ? 'read-membership-by-slug' : 'read-membership-by-id',
    `select w.*, m.role from workspaces w join members m on m.workspace_id = w.id and m.user_id = $1
     where ${bySlug ? 'w.slug = $2' : 'w.id = $2'}`,
    [userId, bySlug ? key.slug : key.workspaceId],
  );
  const [found] = await readRows(statement, row);
  return found === undefined ? null : { workspace: presentWorkspace(found), role: found.role };
}

/**
 * A workspace's members by name: not by address, since members can read the cursor but must not see
 * addresses. Throws InvalidCursorError.
 */
export async function listMembers(db: Db, workspaceId: string, page: PageQuery): Promise<Page<Member>> {
  const after = decodeCursor(page.cursor, z.tuple([z.string(), z.uuid()]));
  const query = members(db)
    .where('m.workspace_id', workspaceId)
    .modify((query) => after !== null && query.whereRaw('(u.name, u.id) > (?, ?)', after))
    .orderBy(['u.name', 'u.id']);
  const { rows, nextCursor } = await readPage(db, query, memberRow, page.limit, (row) => [row.name, row.id]);
  return { items: rows.map(present), nextCursor };
}

export async function readMember(db: Db, workspaceId: string, userId: string): Promise<Member | null> {
  const query = members(db).where({ 'm.workspace_id': workspaceId, 'm.user_id': userId });
  const [row] = await readRows(query, memberRow);
  return row === undefined ? null : present(row);
}

const memberRow = user.extend({ role: workspaceRole, added_at: timestamp, by_rule: z.boolean() });

function members(db: Db) {
  return db('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .select('u.id', 'u.email', 'u.name', 'm.role', 'm.added_at', 'm.by_rule');
}

/** What a membership comes from, as its row says it. */
export const memberSourceOf = (byRule: boolean): MemberSource => (byRule ? 'rule' : 'person');

function present({ role, added_at, by_rule, ...user }: z.infer<typeof memberRow>): Member {
  return { user, role, made_by: memberSourceOf(by_rule), added_at };
}

/**
 * Whether the user is the only admin. The workspace's row is locked first, so that two admins who remove each
 * other at the same time do not leave a workspace without one. The lock does not block rows that only
 * reference the workspace.
 */
export async function isLastAdmin(
  trx: Knex.Transaction,
  workspaceId: string,
  userId: string,
): Promise<boolean> {
  await trx('workspaces').where({ id: workspaceId }).forNoKeyUpdate().first('id');
  const admins = await trx('members')
    .where({ workspace_id: workspaceId, role: 'admin' })
    .limit(2)
    .select('user_id');
  return admins.length === 1 && admins[0]?.user_id === userId;
}

/**
 * Returns those of the users who are members of the workspace, and locks their memberships until the
 * transaction ends, waiting for removals in progress: a later removal sees what the transaction writes for a
 * member.
 */
export async function lockMembers(
  trx: Knex.Transaction,
  workspaceId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const found = await trx('members')
    .where({ workspace_id: workspaceId })
    .whereIn('user_id', [...userIds])
    .orderBy('user_id')
    .forKeyShare()
    .pluck('user_id');
  return new Set(found);
}

interface MemberKey {
  workspaceId: string;
  userId: string;
}

/** Adds the member, or changes their role and what it comes from. Returns when they were added. */
export async function upsertMember(
  trx: Transaction,
  { workspaceId, userId }: MemberKey,
  { role, made_by: madeBy }: Pick<Member, 'role' | 'made_by'>,
): Promise<string> {
  const values = { role, by_rule: madeBy === 'rule' };
  const rows = await trx('members')
    .insert({ workspace_id: workspaceId, user_id: userId, ...values })
    .onConflict(['workspace_id', 'user_id'])
    .merge(values)
    .returning('added_at');
  return onlyRow(rows).added_at;
}

/** Deletes the membership, if there is one, once the transactions that hold it (`lockMembers`) have ended. */
export async function deleteMember(trx: Transaction, { workspaceId, userId }: MemberKey): Promise<void> {
  await trx('members').where({ workspace_id: workspaceId, user_id: userId }).delete();
}
