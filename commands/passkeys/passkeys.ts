/**
 * A person's passkeys are registered, renamed and removed. Each workspace that they are a member of has it in
 * its audit trail, since it is about who can approve there.
 */
import { randomUUID } from 'node:crypto';
import type { AuditEventName } from '../../contract/audit-event.ts';
import { maxPasskeys, type Passkey } from '../../contract/passkey.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  deletePasskey,
  insertPasskey,
  lockPasskeysOf,
  renamePasskeyRow,
  type StoredPasskey,
} from '../../store/passkeys/passkeys.ts';
import { listWorkspacesOfUser } from '../../store/workspaces/workspaces.ts';

/** A passkey whose registration was verified. */
export type VerifiedPasskey = Omit<StoredPasskey, 'id'> & { userId: string };

/** `too_many`: the person has as many as they may. `known`: the credential is registered already. */
export function registerPasskey(db: Db, verified: VerifiedPasskey): Promise<Passkey | 'too_many' | 'known'> {
  return inTransaction(db, async (trx) => {
    if ((await lockPasskeysOf(trx, verified.userId)) >= maxPasskeys) {
      return 'too_many';
    }
    const made = await insertPasskey(trx, { ...verified, id: randomUUID() });
    if (made === null) {
      return 'known';
    }
    await audit(trx, 'passkey.registered', verified.userId, made);
    return made;
  });
}

/** The person's own with its new name; null when there is none. */
export function renamePasskey(
  db: Db,
  renamed: { id: string; userId: string; name: string },
): Promise<Passkey | null> {
  return inTransaction(db, async (trx) => {
    const passkey = await renamePasskeyRow(trx, renamed);
    if (passkey !== null) {
      await audit(trx, 'passkey.renamed', renamed.userId, passkey);
    }
    return passkey;
  });
}

/** Removes the person's own: what it answered is refused unless it is carried out. False for none. */
export function removePasskey(db: Db, key: { id: string; userId: string }): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const removed = await deletePasskey(trx, key);
    if (removed !== null) {
      await audit(trx, 'passkey.removed', key.userId, removed);
    }
    return removed !== null;
  });
}

type PasskeyEvent = Extract<AuditEventName, `passkey.${string}`>;

async function audit(
  trx: Transaction,
  event: PasskeyEvent,
  userId: string,
  { id, name, origin }: Passkey,
): Promise<void> {
  for (const workspace of await listWorkspacesOfUser(trx, userId)) {
    await appendAuditEvent(trx, {
      workspaceId: workspace.id,
      event,
      actor: { type: 'user', id: userId },
      resource: { type: 'passkey', id, name },
      data: { origin },
    });
  }
}
