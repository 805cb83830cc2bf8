/** Sign-ins begin with a cookie and end when they are revoked or expire. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type User, user, type WorkspaceRole, workspaceRole } from '../../contract/workspace.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

/**
 * Records a sign-in and returns its id, the cookie's `sid`. `isProven`: the person was asked who they are for
 * it, and a session that they had elsewhere did not do.
 */
export async function createSignIn(
  db: Db,
  userId: string,
  lifetimeSeconds: number,
  { isProven = false } = {},
): Promise<string> {
  const id = randomUUID();
  await db('sign_ins').insert({
    id,
    user_id: userId,
    proven_at: isProven ? db.fn.now() : null,
    expires_at: db.raw('now() + make_interval(secs => ?)', [lifetimeSeconds]),
  });
  return id;
}

/** Ends all sign-ins of a user. Idempotent. */
export async function revokeSignInsOfUser(db: Db, userId: string): Promise<void> {
  await db('sign_ins').where({ user_id: userId, revoked_at: null }).update({ revoked_at: db.fn.now() });
}

/** Ends a sign-in: its cookie is refused from now on. Idempotent. */
export async function revokeSignIn(db: Db, id: string): Promise<void> {
  await db('sign_ins').where({ id, revoked_at: null }).update({ revoked_at: db.fn.now() });
}

/** The user of a sign-in that is neither revoked nor expired, or null. Runs with every request of a user. */
export async function readSignedInUser(
  db: Db,
  { userId, signInId }: { userId: string; signInId: string },
): Promise<User | null> {
  const statement = prepared(
    db,
    'read-signed-in-user',
    `select u.id, u.email, u.name from sign_ins s join users u on u.id = s.user_id
     where s.id = $1 and s.user_id = $2 and s.revoked_at is null and s.expires_at > now()`,
    [signInId, userId],
  );
  const [found] = await readRows(statement, user);
  return found ?? null;
}

/** Whether the person proved who they are as the sign-in began, within the last `seconds`. */
export async function isFreshSignIn(db: Db, id: string, seconds: number): Promise<boolean> {
  const found = await db('sign_ins')
    .where({ id })
    .where('proven_at', '>', db.raw('now() - make_interval(secs => ?)', [seconds]))
    .first('id');
  return found !== undefined;
}

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

/**
 * For each sign-in, in order: its user's roles now, or null when it is revoked, expired or another user's.
 */
export async function readRolesOfSignIns(db: Db, signIns: readonly SignIn[]): Promise<(Roles | null)[]> {
  const ids = signIns.map(({ signInId }) => signInId);
  const rows = await readRows(prepared(db, 'read-roles-of-sign-ins', readStatement, [ids]), rolesOfSignIn);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return signIns.map(({ userId, signInId }) => {
    const row = byId.get(signInId);
    return row?.user_id === userId ? new Map(Object.entries(row.roles)) : null;
  });
}
