import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type WorkspaceRole, workspaceRole } from '../../contract/workspace.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** What a session cookie says of its bearer. */
export interface SignIn {
  userId: string;
  signInId: string;
}

/** A person's role by workspace id. */
export type Roles = ReadonlyMap<string, WorkspaceRole>;

const rolesOfSignIn = z.object({
  id: uuid,
  user_id: uuid,
  roles: z.record(uuid, workspaceRole),
});

const readStatement = `
  select id, user_id,
    (select coalesce(jsonb_object_agg(workspace_id, role), '{}') from members m where m.user_id = s.user_id) as roles
  from sign_ins s where id = any($1::uuid[]) and revoked_at is null and expires_at > now()`;

/** For each sign-in, in order: its user's roles now, or null when it is revoked, expired or another user's. */
export async function readRolesOfSignIns(db: Db, signIns: readonly SignIn[]): Promise<(Roles | null)[]> {
  const ids = signIns.map(({ signInId }) => signInId);
  const rows = await readRows(prepared(db, 'read-roles-of-sign-ins', readStatement, [ids]), rolesOfSignIn);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return signIns.map(({ userId, signInId }) => {
    const row = byId.get(signInId);
    return row?.user_id === userId ? new Map(Object.entries(row.roles)) : null;
  });
}
