/** What a session runs with, frozen at its start; holds references, never a secret's value. */
import * as z from 'zod';
import { type FrozenConfiguration, frozenConfiguration } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { withReference } from '../mcp-servers/row.ts';

const stored = z.looseObject({ servers: z.array(z.unknown()) });

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
  return row === undefined ? null : parseStored(row.configuration);
}

/** Earlier releases froze the bare name of a registry's secret. */
function parseStored(configuration: unknown): FrozenConfiguration {
  const { servers, ...rest } = stored.parse(configuration);
  return frozenConfiguration.parse({ ...rest, servers: servers.map(withReference) });
}
