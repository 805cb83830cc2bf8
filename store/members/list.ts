/** Reading a workspace's members. */
import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type Member, user, workspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';
import { readRows } from '../read-rows.ts';

/** A workspace's members by name: not by address, since members can read the cursor but must not see addresses. Throws InvalidCursorError. */
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

const memberRow = user.extend({ role: workspaceRole, added_at: timestamp });

function members(db: Db) {
  return db('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .select('u.id', 'u.email', 'u.name', 'm.role', 'm.added_at');
}

function present({ role, added_at, ...user }: z.infer<typeof memberRow>): Member {
  return { user, role, added_at };
}
