/** Opens a secret outside of a session's configuration, at the moment of use: by the rule and in the words of every other consumer (docs/secrets.md#references). */
import {
  platformSecretRefusal,
  type SecretRefusal,
  secretNotSet,
  secretRefusal,
} from '../../contract/secret-use.ts';
import type { Db } from '../../store/database.ts';
import { type MasterKeys, openText } from '../../store/secrets/envelope.ts';
import { readKnownSecrets, readSealed } from '../../store/secrets/read.ts';

export interface SecretUser {
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
