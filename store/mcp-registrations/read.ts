import type { SignIn } from '../../contract/remote-server.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';
import { type RegistrationRow, registrationColumns, registrationRow } from './row.ts';

/** Each function throws a ZodError for a row that does not fit. */

export function readRegistration(db: Db, id: string): Promise<RegistrationRow | null> {
  return readRow(db('mcp_registrations').where({ id }).first(registrationColumns), registrationRow);
}

/** The registration, locked until the transaction ends; null when it is gone. */
export function lockRegistration(trx: Transaction, id: string): Promise<RegistrationRow | null> {
  const query = trx('mcp_registrations').where({ id }).forUpdate().first(registrationColumns);
  return readRow(query, registrationRow);
}

/** The registration of an entry, locked until the transaction ends; null when it has none. */
export function lockRegistrationOf(trx: Transaction, entryId: string): Promise<RegistrationRow | null> {
  const query = trx('mcp_registrations')
    .where({ mcp_server_id: entryId })
    .forUpdate()
    .first(registrationColumns);
  return readRow(query, registrationRow);
}

/** The registration of an entry; null when it has none. */
export function readRegistrationOf(db: Db, entryId: string): Promise<RegistrationRow | null> {
  const query = db('mcp_registrations').where({ mcp_server_id: entryId }).first(registrationColumns);
  return readRow(query, registrationRow);
}

/** By the ids of entries; those without one are absent. */
export async function readRegistrationsOf(
  db: Db,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, RegistrationRow>> {
  if (entryIds.length === 0) {
    return new Map();
  }
  const query = db('mcp_registrations')
    .whereIn('mcp_server_id', [...entryIds])
    .select(registrationColumns);
  const rows = await readRows(query, registrationRow);
  return new Map(rows.map((row) => [row.mcp_server_id ?? '', row]));
}

/** How the platform signs in to an entry whose registration is ready; null for any other entry. */
export async function readSignIn(db: Db, entryId: string): Promise<SignIn | null> {
  const row = await db('mcp_registrations')
    .where({ mcp_server_id: entryId, status: 'ready' })
    .first('sign_in');
  return row?.sign_in ?? null;
}

/** Each needs a workflow: it is not settled, or its entry was removed. */
export async function listUnsettledRegistrations(db: Db): Promise<{ id: string }[]> {
  const rows = await db('mcp_registrations')
    .where({ status: 'pending' })
    .orWhereNull('mcp_server_id')
    .orderBy('created_at')
    .select('id');
  return rows;
}
