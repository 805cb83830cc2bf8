/** What a session runs with, frozen at its start: references, never a secret's value. */
import * as z from 'zod';
import { type FrozenConfiguration, frozenConfiguration } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';

/** The first one stored wins: a repeated freeze changes nothing. Returns the stored one. */
export async function storeConfiguration(
  db: Db,
  configuration: FrozenConfiguration,
): Promise<FrozenConfiguration> {
  await db('session_configurations')
    .insert({
      session_id: configuration.session_id,
      configuration: JSON.stringify(frozenConfiguration.parse(configuration)),
      frozen_at: configuration.frozen_at,
    })
    .onConflict('session_id')
    .ignore();
  return (await readConfiguration(db, configuration.session_id)) ?? configuration;
}

export async function readConfiguration(db: Db, sessionId: string): Promise<FrozenConfiguration | null> {
  const row = await db('session_configurations').where({ session_id: sessionId }).first('configuration');
  return row === undefined ? null : frozenConfiguration.parse(row.configuration);
}

/**
 * The version of a server's catalog entry that the session froze; null for a server that it does not have.
 */
export async function readFrozenVersion(db: Db, sessionId: string, server: string): Promise<number | null> {
  const query = db('session_configurations')
    .where({ session_id: sessionId })
    .joinRaw(`cross join lateral jsonb_array_elements(configuration -> 'servers') as server`)
    .whereRaw(`server ->> 'name' = ?`, [server])
    .first(db.raw(`server -> 'entry_version' as version`));
  const row = await readRow(query, z.object({ version: z.int().positive().nullable() }));
  return row?.version ?? null;
}

const secretReference = z.object({ name: z.string(), version: z.int() });

/** Every secret that a part of the session was given, with the version that it froze. */
export async function listSecretReferences(
  db: Db,
  sessionId: string,
): Promise<z.infer<typeof secretReference>[]> {
  const statement = db.raw(
    `select distinct used ->> 'secret_name' as name, (used ->> 'secret_version')::int as version
     from session_configurations,
       unnest(array['agent.env.*', 'agent.model_access.api_key', 'servers[*].env.*',
         'servers[*].registry_credentials', 'siblings[*].env.*', 'services[*].env.*']) as place,
       jsonb_path_query(configuration, ('$.' || place)::jsonpath) as used
     where session_id = ? and used ->> 'kind' = 'secret'`,
    [sessionId],
  );
  return readRows(statement, secretReference);
}
