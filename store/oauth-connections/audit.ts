import type { Db } from '../database.ts';
import { readRegistration } from '../mcp-registrations/read.ts';
import type { ConnectionRow } from './row.ts';

/** What audit events name a connection by: the name of its entry; empty once its registration is gone. */
export async function readConnectionResource(
  db: Db,
  { id, registration_id }: Pick<ConnectionRow, 'id' | 'registration_id'>,
) {
  const registration = await readRegistration(db, registration_id);
  return { type: 'oauth_connection' as const, id, name: registration?.entry_name ?? '' };
}
