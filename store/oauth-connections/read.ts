import * as z from 'zod';
import { type Connection, connection } from '../../contract/authorization.ts';
import { timestamp } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';
import { type ConnectionRow, connectionColumns, connectionRow, endReason } from './row.ts';

export interface ConnectionKey {
  registrationId: string;
  userId: string;
}

/** The person's sign-in that can be used, or null. */
export function readConnection(
  db: Db,
  { registrationId, userId }: ConnectionKey,
): Promise<ConnectionRow | null> {
  const query = db('oauth_connections')
    .where({ registration_id: registrationId, user_id: userId })
    .whereNull('ended_at')
    .first(connectionColumns);
  return readRow(query, connectionRow);
}

/** The person's sign-ins that can be used in one workspace. */
export function listConnectionsIn(
  db: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<ConnectionRow[]> {
  const query = db('oauth_connections')
    .where({ workspace_id: workspaceId, user_id: userId })
    .whereNull('ended_at')
    .select(connectionColumns);
  return readRows(query, connectionRow);
}

/** A sign-in of this person that can be used, by its id. */
export function readOwnConnection(db: Db, userId: string, id: string): Promise<ConnectionRow | null> {
  const query = db('oauth_connections')
    .where({ id, user_id: userId })
    .whereNull('ended_at')
    .first(connectionColumns);
  return readRow(query, connectionRow);
}

/** The person's sign-ins in all workspaces that they are a member of, by workspace and server. */
export function listConnections(db: Db, userId: string): Promise<Connection[]> {
  const query = db('oauth_connections as c')
    .join('mcp_registrations as r', 'r.id', 'c.registration_id')
    .join('workspaces as w', 'w.id', 'c.workspace_id')
    .join('members as m', (join) =>
      join.on('m.workspace_id', 'c.workspace_id').andOn('m.user_id', 'c.user_id'),
    )
    .where('c.user_id', userId)
    .whereNull('c.ended_at')
    .orderBy(['w.name', 'r.entry_name'])
    .select({
      id: 'c.id',
      workspace: db.raw("json_build_object('id', w.id, 'name', w.name, 'slug', w.slug)"),
      mcp_server: 'r.entry_name',
      issuer: 'c.issuer',
      resource: 'c.resource',
      scopes: db.raw('coalesce(c.granted_scopes, c.requested_scopes)'),
      created_at: 'c.created_at',
      used_at: 'c.used_at',
    });
  return readRows(query, connection);
}

type Signer = Pick<ConnectionRow, 'registration_id' | 'user_id'>;
const refusedRow = z.object({ refusal: z.string().nullable() });

/** Why the server refuses the person's last sign-in, or refused it; null when it does not. */
export async function readLastRefusal(db: Db, { registration_id, user_id }: Signer): Promise<string | null> {
  const query = db('oauth_connections')
    .where({ registration_id, user_id })
    .orderBy('created_at', 'desc')
    .first('refusal');
  return (await readRow(query, refusedRow))?.refusal ?? null;
}

/** Whether this sign-in is new, and replaced one whose tokens the server refused as well. */
export async function replacedRefused(
  db: Db,
  { id, registration_id, user_id }: Signer & Pick<ConnectionRow, 'id'>,
  newForSeconds: number,
): Promise<boolean> {
  const query = db('oauth_connections as c')
    .join('oauth_connections as b', (join) =>
      join.on('b.registration_id', 'c.registration_id').andOn('b.user_id', 'c.user_id'),
    )
    .where({
      'c.id': id,
      'c.registration_id': registration_id,
      'c.user_id': user_id,
      'b.end_reason': 'replaced',
    })
    .whereNotNull('b.refusal')
    .whereRaw("c.created_at > now() - ? * interval '1 second'", [newForSeconds])
    .whereRaw("b.ended_at > c.created_at - interval '1 minute'")
    .first('b.refusal');
  return (await readRow(query, refusedRow)) !== null;
}

const endedConnection = connectionRow.extend({ ended_at: timestamp, end_reason: endReason });
export type EndedConnection = z.infer<typeof endedConnection>;

const unrevoked = (db: Db) =>
  db('oauth_connections')
    .whereNotNull('ended_at')
    .whereNull('revoked_at')
    .orderBy('ended_at')
    .select(...connectionColumns, 'ended_at', 'end_reason');

/** Ended ones whose tokens are still to be revoked, the oldest first. */
export const listUnrevokedConnections = (db: Db, limit: number): Promise<EndedConnection[]> =>
  readRows(unrevoked(db).limit(limit), endedConnection);

/** Those of one client. */
export const listUnrevokedOfClient = (db: Db, clientId: string): Promise<EndedConnection[]> =>
  readRows(unrevoked(db).where({ oauth_client_id: clientId }), endedConnection);

/** Whether anybody has ever signed in with this client. */
export async function wasClientUsed(db: Db, clientId: string): Promise<boolean> {
  return (await db('oauth_connections').where({ oauth_client_id: clientId }).first('id')) !== undefined;
}

/** Sign-ins with this client that can be used. */
export function listConnectionsOfClient(db: Db, clientId: string): Promise<ConnectionRow[]> {
  const query = db('oauth_connections')
    .where({ oauth_client_id: clientId })
    .whereNull('ended_at')
    .select(connectionColumns);
  return readRows(query, connectionRow);
}
