/**
 * A secret of a workspace is set, restricted, cleared, and opened outside of a session's configuration: at
 * the moment of use, by the rule and in the words of every other consumer (docs/secrets.md#references).
 */
import { isDeepStrictEqual } from 'node:util';
import type { SecretMetadata } from '../../contract/secret.ts';
import {
  platformSecretRefusal,
  type SecretRefusal,
  secretNotSet,
  secretRefusal,
} from '../../contract/secret-use.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { type MasterKeys, openText, type SealedSecret } from '../../store/secrets/envelope.ts';
import {
  eraseSealedValue,
  insertEmptySecret,
  lockSecret,
  readKnownSecrets,
  readSealed,
  type SecretKey,
  storeRestriction,
  storeSealedValue,
} from '../../store/secrets/secrets.ts';

/**
 * Stores a sealed value. The event is `set` or `replaced` by whether a value was there, decided under the
 * row's lock.
 */
export async function putSecret(
  db: Db,
  key: SecretKey,
  sealed: SealedSecret,
  userId: string,
): Promise<SecretMetadata> {
  return inTransaction(db, async (trx) => {
    // Inserts an empty row first, so that two first writes of one name also serialise.
    await insertEmptySecret(trx, key);
    const before = await lockSecret(trx, key);
    if (before === null) {
      throw new Error('the secret was not stored');
    }
    const secret = await storeSealedValue(trx, before.id, sealed, userId);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: before.metadata.is_set ? 'workspace.secret.replaced' : 'workspace.secret.set',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: before.id, name: key.name },
    });
    return secret;
  });
}

/**
 * Sets which entries may use the secret; null means any. Returns null for an unknown name. An unchanged list
 * writes no event.
 */
export async function restrictSecret(
  db: Db,
  key: SecretKey,
  allowedServers: readonly string[] | null,
  userId: string,
): Promise<SecretMetadata | null> {
  const wanted = allowedServers === null ? null : [...new Set(allowedServers)].sort();
  return inTransaction(db, async (trx) => {
    const before = await lockSecret(trx, key);
    if (before === null || isDeepStrictEqual(before.allowedServers, wanted)) {
      return before?.metadata ?? null;
    }
    const secret = await storeRestriction(trx, before.id, wanted, userId);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: 'workspace.secret.restricted',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: before.id, name: key.name },
      data: { allowed_servers: wanted },
    });
    return secret;
  });
}

/** Destroys the value and keeps the row. Idempotent, without a second event. Null for an unknown name. */
export async function clearSecret(db: Db, key: SecretKey, userId: string): Promise<SecretMetadata | null> {
  return inTransaction(db, async (trx) => {
    const before = await lockSecret(trx, key);
    if (before === null || !before.metadata.is_set) {
      return before?.metadata ?? null;
    }
    const secret = await eraseSealedValue(trx, before.id, userId);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: 'workspace.secret.cleared',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: before.id, name: key.name },
    });
    return secret;
  });
}

interface SecretUser {
  workspaceId: string;
  /** The secret. */
  name: string;
  /** The catalog entry that it is used for; null for what the platform itself sends it to. */
  server: string | null;
}

/** The value, or why it may not be used. Throws UnreadableSecretError. */
export async function openSecret(
  db: Db,
  masterKeys: MasterKeys,
  { workspaceId, name, server }: SecretUser,
): Promise<{ value: string } | { refusal: SecretRefusal }> {
  const known = (await readKnownSecrets(db, workspaceId, [name])).get(name);
  const [sealed] = await readSealed(db, workspaceId, [name]);
  const refusal = server === null ? platformSecretRefusal(name, known) : secretRefusal(name, known, server);
  return refusal !== null || sealed === undefined
    ? { refusal: refusal ?? secretNotSet(name) }
    : { value: openText(masterKeys, { workspaceId, name }, sealed) };
}
