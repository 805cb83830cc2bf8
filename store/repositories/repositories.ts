/** Repositories that a workspace's admins registered. */
import { type Repository, type RepositoryInput, repository } from '../../contract/repository.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

const columns = Object.keys(repository.shape) as (keyof Repository)[];

/** By name; a workspace has a few. */
export function listRepositories(db: Db, workspaceId: string): Promise<Repository[]> {
  const query = db('repositories').where({ workspace_id: workspaceId }).orderBy('name').select(columns);
  return readRows(query, repository);
}

/** The workspace's repository of exactly this name, or null. */
export function readRepository(db: Db, workspaceId: string, name: string): Promise<Repository | null> {
  return readRow(db('repositories').where({ workspace_id: workspaceId, name }).first(columns), repository);
}

/** Takes a transaction that locked the workspace. */
export async function storeRepository(
  trx: Transaction,
  workspaceId: string,
  { name, host, path, credential }: RepositoryInput,
  userId: string,
): Promise<Repository> {
  const fields = { host, path, credential, updated_by: userId };
  const query = trx('repositories')
    .insert({ workspace_id: workspaceId, name, ...fields })
    .onConflict(['workspace_id', 'name'])
    .merge({ ...fields, updated_at: trx.fn.now() })
    .returning(columns);
  return onlyRow(await readRows(query, repository));
}

/** Takes a transaction that locked the workspace. Null when there is none of that name. */
export async function deleteRepository(
  trx: Transaction,
  workspaceId: string,
  name: string,
): Promise<Repository | null> {
  const query = trx('repositories').where({ workspace_id: workspaceId, name }).delete().returning(columns);
  return (await readRows(query, repository))[0] ?? null;
}
