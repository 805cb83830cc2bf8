/** A repository is registered, changed and removed by an admin. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditEventName } from '../../contract/audit-event.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { referencedSecretName } from '../../contract/names.ts';
import { type Repository, type RepositoryInput, repositoryInput } from '../../contract/repository.ts';
import { platformSecretRefusal } from '../../contract/secret-use.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  deleteRepository,
  listRepositories,
  storeRepository,
} from '../../store/repositories/repositories.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { lockWorkspace } from '../../store/workspaces/workspaces.ts';

const maxRepositories = 200;

export type SavedRepository =
  | { result: 'saved'; repository: Repository }
  | { result: 'refused'; problems: FieldProblem[] };

/** What is the same as before writes no event. The event has the name of the credential's secret. */
export function setRepository(
  db: Db,
  workspaceId: string,
  input: RepositoryInput,
  userId: string,
): Promise<SavedRepository> {
  return inTransaction(db, async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const all = await listRepositories(trx, workspaceId);
    const before = all.find(({ name }) => name === input.name);
    if (before !== undefined && isDeepStrictEqual(repositoryInput.strip().parse(before), input)) {
      return { result: 'saved', repository: before };
    }
    const problems = [
      ...(await credentialProblems(trx, workspaceId, input)),
      ...(before === undefined && all.length >= maxRepositories
        ? [
            {
              path: 'name',
              code: 'too_many',
              message: `a workspace has up to ${maxRepositories} repositories`,
            },
          ]
        : []),
    ];
    if (problems.length > 0) {
      return { result: 'refused', problems };
    }
    const repository = await storeRepository(trx, workspaceId, input, userId);
    await record(trx, 'workspace.repository.set', { repository, userId });
    return { result: 'saved', repository };
  });
}

/** Sessions that run keep what they have. False when there is none of that name. */
export function removeRepository(
  db: Db,
  workspaceId: string,
  name: string,
  userId: string,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const repository = await deleteRepository(trx, workspaceId, name);
    if (repository !== null) {
      await record(trx, 'workspace.repository.removed', { repository, userId });
    }
    return repository !== null;
  });
}

async function credentialProblems(
  trx: Transaction,
  workspaceId: string,
  { credential }: RepositoryInput,
): Promise<FieldProblem[]> {
  const name = referencedSecretName(credential ?? '');
  if (name === null) {
    return [];
  }
  const known = await readKnownSecrets(trx, workspaceId, [name]);
  const refusal = platformSecretRefusal(name, known.get(name));
  return refusal === null ? [] : [{ path: 'credential', ...refusal }];
}

async function record(
  trx: Transaction,
  event: Extract<AuditEventName, `workspace.repository.${string}`>,
  { repository, userId }: { repository: Repository; userId: string },
): Promise<void> {
  const { id, name, workspace_id: workspaceId, host, path, credential } = repository;
  await appendAuditEvent(trx, {
    ...{ workspaceId, event, actor: { type: 'user', id: userId } },
    resource: { type: 'repository', id, name },
    data: { host, path, credential },
  });
}
