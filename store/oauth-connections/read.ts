/** People's sign-ins at remote servers, without their tokens. */
import * as z from 'zod';
import { type Connection, connection } from '../../contract/authorization.ts';
import type { RefusedSignIns } from '../../contract/mcp-registration.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRegistration } from '../mcp-registrations/registrations.ts';
import { readRow, readRows } from '../read-rows.ts';

export const connectionRow = z.object({
  id: uuid,
  workspace_id: uuid,
  user_id: uuid,
  registration_id: uuid,
  url: z.string(),
  resource: z.string(),
  issuer: z.string(),
  oauth_client_id: uuid,
  requested_scopes: z.array(z.string()),
  granted_scopes: z.array(z.string()).nullable(),
  generation: z.int(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
  /** When its tokens were given. */
  refreshed_at: timestamp,
  used_at: timestamp.nullable(),
});
export type ConnectionRow = z.infer<typeof connectionRow>;

export const connectionColumns = Object.keys(connectionRow.shape) as (keyof ConnectionRow)[];

export const endReason = z.enum([
  'disconnected',
  'refused',
  'replaced',
  'left',
  'unbound',
  'workspace_closed',
]);
export type ConnectionEndReason = z.infer<typeof endReason>;

interface ConnectionKey {
  registrationId: string;
  userId: string;
}

/** The person's connection that can be used, or null. */
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

/** The person's connections that can be used in one workspace. */
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

/** A connection of this person that can be used, by its id. */
export function readOwnConnection(db: Db, userId: string, id: string): Promise<ConnectionRow | null> {
  const query = db('oauth_connections')
    .where({ id, user_id: userId })
    .whereNull('ended_at')
    .first(connectionColumns);
  return readRow(query, connectionRow);
}

/** The person's connections in all workspaces that they are a member of, by workspace and server. */
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

/** Why the server refuses the person's last connection, or refused it; null when it does not. */
export async function readLastRefusal(db: Db, { registration_id, user_id }: Signer): Promise<string | null> {
  const query = db('oauth_connections')
    .where({ registration_id, user_id })
    .orderBy('created_at', 'desc')
    .first('refusal');
  return (await readRow(query, refusedRow))?.refusal ?? null;
}

const refusedSignInsRow = z.object({
  registration_id: uuid,
  user_id: uuid,
  refused_at: timestamp,
  reason: z.string(),
  people: z.int(),
});

/**
 * Whose last connection at the server of a registration is refused, by the registration's id; those without
 * any are absent.
 */
export async function readRefusedSignIns(
  db: Db,
  registrationIds: readonly string[],
): Promise<ReadonlyMap<string, RefusedSignIns>> {
  const statement = db.raw(
    `with newest as (
       select distinct on (c.registration_id, c.user_id) c.registration_id, c.user_id, c.refusal as reason,
         coalesce(c.refused_at, c.ended_at, c.refreshed_at) as refused_at
       from mcp_registrations r
       join oauth_connections c
         on c.workspace_id = r.workspace_id and c.registration_id = r.id and c.url = r.shape ->> 'url'
       join members m on m.workspace_id = c.workspace_id and m.user_id = c.user_id
       where r.id = any(:registrationIds)
       order by c.registration_id, c.user_id, c.created_at desc
     )
     select distinct on (registration_id) registration_id, user_id, refused_at, reason,
       count(*) over (partition by registration_id) as people
     from newest where reason is not null
     order by registration_id, refused_at desc`,
    { registrationIds: [...registrationIds] },
  );
  const rows = await readRows(statement, refusedSignInsRow);
  return new Map(rows.map(({ registration_id: id, people, ...latest }) => [id, { people, latest }]));
}

/** Whether this connection is new, and replaced one whose tokens the server refused as well. */
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
    .select(...connectionColumns, 'ended_at', 'end_reason');

/**
 * Ended ones whose tokens are still to be revoked: by turns of each workspace, and any of it, so that those
 * whose server does not answer keep no others waiting.
 */
export const listUnrevokedConnections = (db: Db, limit: number): Promise<EndedConnection[]> =>
  readRows(
    unrevoked(db)
      .orderByRaw('row_number() over (partition by workspace_id order by random()), random()')
      .limit(limit),
    endedConnection,
  );

/** Those of one client, the oldest first. */
export const listUnrevokedOfClient = (db: Db, clientId: string): Promise<EndedConnection[]> =>
  readRows(unrevoked(db).where({ oauth_client_id: clientId }).orderBy('ended_at'), endedConnection);

/** Whether anybody has ever signed in with this client. */
export async function wasClientUsed(db: Db, clientId: string): Promise<boolean> {
  return (await db('oauth_connections').where({ oauth_client_id: clientId }).first('id')) !== undefined;
}

/** Connections with this client that can be used. */
export function listConnectionsOfClient(db: Db, clientId: string): Promise<ConnectionRow[]> {
  const query = db('oauth_connections')
    .where({ oauth_client_id: clientId })
    .whereNull('ended_at')
    .select(connectionColumns);
  return readRows(query, connectionRow);
}

/** What audit events name a connection by: the name of its entry; empty once its registration is gone. */
export async function readConnectionResource(
  db: Db,
  { id, registration_id }: Pick<ConnectionRow, 'id' | 'registration_id'>,
) {
  const registration = await readRegistration(db, registration_id);
  return { type: 'oauth_connection' as const, id, name: registration?.entry_name ?? '' };
}
