/** The secret of a client that an admin registered by hand: a workspace secret, which the entry has to be allowed to use. */
import { referencedSecretName } from '../../contract/names.ts';
import { type SecretRefusal, secretRefusal } from '../../contract/secret-use.ts';
import type { Db } from '../../store/database.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';
import { openSecret } from '../secrets/open.ts';

export interface ClientSecretUse {
  workspaceId: string;
  entryName: string;
  /** `${NAME}`; undefined for a client without a secret. */
  reference: string | undefined;
}

/** Why the entry may not use it; null when it may, and for a client without one. */
export async function readClientSecretRefusal(
  db: Db,
  { workspaceId, entryName, reference = '' }: ClientSecretUse,
): Promise<SecretRefusal | null> {
  const name = referencedSecretName(reference);
  if (name === null) {
    return null;
  }
  const known = await readKnownSecrets(db, workspaceId, [name]);
  return secretRefusal(name, known.get(name), entryName);
}

/** Its value; null where there is none, or the entry may not use it. Throws UnreadableSecretError. */
export async function readClientSecretValue(
  db: Db,
  keys: MasterKeys,
  { workspaceId, entryName, reference = '' }: ClientSecretUse,
): Promise<string | null> {
  const name = referencedSecretName(reference);
  if (name === null) {
    return null;
  }
  const opened = await openSecret(db, keys, { workspaceId, name, server: entryName });
  return 'refusal' in opened ? null : opened.value;
}
