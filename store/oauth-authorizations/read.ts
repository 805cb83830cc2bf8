import * as z from 'zod';
import { type SessionAuthorization, sessionAuthorization } from '../../contract/authorization.ts';
import { named } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';
import { authorizationColumns, authorizationRow } from './row.ts';

const timedAuthorization = authorizationRow.extend({ remaining_ms: z.int() });
export type TimedAuthorization = z.infer<typeof timedAuthorization>;

/** With the time that is left by the clock of the database, which decides when it is over. */
export function readAuthorization(db: Db, id: string): Promise<TimedAuthorization | null> {
  const remaining = db.raw(
    'greatest(0, ceil(extract(epoch from expires_at - now()) * 1000))::bigint as remaining_ms',
  );
  const query = db('oauth_authorizations')
    .where({ id })
    .first(...authorizationColumns, remaining);
  return readRow(query, timedAuthorization);
}

const ownAuthorization = authorizationRow.extend({
  workspace: named.extend({ slug: z.string() }),
  entry_name: z.string(),
  agent: named.nullable(),
});
export type OwnAuthorization = z.infer<typeof ownAuthorization>;

/** For the person who has to sign in; null for anybody else, and once they have left the workspace. */
export function readOwnAuthorization(db: Db, userId: string, id: string): Promise<OwnAuthorization | null> {
  const query = db('oauth_authorizations as o')
    .join('mcp_registrations as r', 'r.id', 'o.registration_id')
    .join('workspaces as w', 'w.id', 'o.workspace_id')
    .join('members as m', (join) =>
      join.on('m.workspace_id', 'o.workspace_id').andOn('m.user_id', 'o.user_id'),
    )
    .leftJoin('sessions as s', 's.id', 'o.session_id')
    .leftJoin('agents as a', 'a.id', 's.agent_id')
    .where({ 'o.id': id, 'o.user_id': userId })
    .first({
      ...Object.fromEntries(authorizationColumns.map((column) => [column, `o.${column}`])),
      workspace: db.raw("json_build_object('id', w.id, 'name', w.name, 'slug', w.slug)"),
      entry_name: 'r.entry_name',
      agent: db.raw("case when a.id is not null then json_build_object('id', a.id, 'name', a.name) end"),
    });
  return readRow(query, ownAuthorization);
}

/** Those that the session waits for now, by server. */
export function listPendingOfSession(db: Db, sessionId: string): Promise<SessionAuthorization[]> {
  const query = db('oauth_authorizations as o')
    .join('mcp_registrations as r', 'r.id', 'o.registration_id')
    .where({ 'o.session_id': sessionId, 'o.status': 'pending' })
    .whereRaw('o.expires_at > now()')
    .orderBy('r.entry_name')
    .select({
      id: 'o.id',
      mcp_server: 'r.entry_name',
      missing_scopes: 'o.missing_scopes',
      expires_at: 'o.expires_at',
    });
  return readRows(query, sessionAuthorization);
}

const counted = z.object({ count: z.int() });

/** How often a server has asked for more in this session, whether in one sign-in or in several. */
export async function countStepUps(
  db: Db,
  { sessionId, registrationId }: { sessionId: string; registrationId: string },
): Promise<number> {
  const query = db('oauth_authorizations')
    .where({ session_id: sessionId, registration_id: registrationId })
    .first(db.raw('coalesce(sum(step_ups), 0)::int as count'));
  return (await readRow(query, counted))?.count ?? 0;
}

/** Pending ones that a workflow of their own waits for. That of a launch is started by the session's, and by nobody before it. */
export function listUnattendedAuthorizations(db: Db): Promise<{ id: string }[]> {
  const query = db('oauth_authorizations as o')
    .leftJoin('sessions as s', 's.id', 'o.session_id')
    .where('o.status', 'pending')
    .where((either) => either.whereNull('o.session_id').orWhereIn('s.status', ['starting', 'running']))
    .orderBy('o.created_at')
    .select('o.id');
  return readRows(query, authorizationRow.pick({ id: true }));
}
