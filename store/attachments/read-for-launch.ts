/** Attachments of an agent together with the entries that they attach, as a session freezes them. */
import type { Knex } from 'knex';
import * as z from 'zod';
import { entrySettings, manifest, shape } from '../../contract/catalog.ts';
import { entryName, uuid } from '../../contract/names.ts';
import { signIn } from '../../contract/remote-server.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** Parsed on every read: an entry that does not fit the contract is refused, not run. */
const attachedServer = z.object({
  name: entryName,
  entry_id: uuid,
  entry_version: z.int(),
  shape,
  manifest,
  image_digest: z.string().nullable(),
  image_command: z.array(z.string()).nullable(),
  image_volumes: z.array(z.string()).nullable(),
  ...entrySettings,
  /** Of a remote server whose registration is ready. */
  sign_in: signIn.nullable(),
  /** As it was entered: plain values and bare references. */
  env: z.record(z.string(), z.string()),
});
export type AttachedServer = z.infer<typeof attachedServer>;

const settingColumns = Object.fromEntries(Object.keys(entrySettings).map((name) => [name, `s.${name}`]));

/** By name. Throws a ZodError. */
export async function readAttachedServers(db: Db, agentId: string): Promise<AttachedServer[]> {
  const query = db('agent_mcp_attachments as a')
    .join('mcp_servers as s', 's.id', 'a.mcp_server_id')
    .leftJoin('mcp_registrations as r', (join) =>
      join.on('r.mcp_server_id', 's.id').andOnVal('r.status', 'ready'),
    )
    .where('a.agent_id', agentId)
    .orderBy('s.name')
    .select({
      name: 's.name',
      entry_id: 's.id',
      entry_version: 's.version',
      shape: 's.shape',
      manifest: 's.manifest',
      image_digest: 's.image_digest',
      image_command: 's.image_command',
      image_volumes: 's.image_volumes',
      ...settingColumns,
      sign_in: 'r.sign_in',
      env: 'a.env',
    });
  return readRows(query, attachedServer);
}

/** Names of the remote servers that the agent attaches. */
export const listRemoteAttachments = (db: Db, agentId: string): Promise<string[]> =>
  namesOf(attachedEntries(db, agentId).whereRaw("s.shape ->> 'type' = 'remote'"));

/** Names of those that whoever drives a session signs in to, as far as their registration says so. */
export const listSignInAttachments = (db: Db, agentId: string): Promise<string[]> =>
  namesOf(
    attachedEntries(db, agentId)
      .join('mcp_registrations as r', 'r.mcp_server_id', 's.id')
      .where({ 'r.status': 'ready', 'r.sign_in': 'oauth' }),
  );

const attachedEntries = (db: Db, agentId: string) =>
  db('agent_mcp_attachments as a')
    .join('mcp_servers as s', 's.id', 'a.mcp_server_id')
    .where('a.agent_id', agentId);

async function namesOf(entries: Knex.QueryBuilder): Promise<string[]> {
  const rows = await readRows(entries.orderBy('s.name').select('s.name'), z.object({ name: entryName }));
  return rows.map(({ name }) => name);
}
