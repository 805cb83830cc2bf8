/** Process outputs are sealed like secrets, each bound to its own row; the name cannot collide with a secret's. */
import type { ProcessKind } from '../../contract/session-process.ts';
import { type MasterKeys, open, type SecretIdentity } from '../secrets/envelope.ts';

export interface ProcessKey {
  sessionId: string;
  kind: ProcessKind;
  name: string;
}

export const outputIdentity = (
  workspaceId: string,
  { sessionId, kind, name }: ProcessKey,
): SecretIdentity => ({ workspaceId, name: `output/${sessionId}/${kind}/${name}` });

/** The columns that hold it. */
interface SealedOutput {
  sealed_output: Buffer;
  sealed_data_key: Buffer;
  key_id: string;
}

/** Decrypts the stored output of a process. Throws UnreadableSecretError when the key that sealed it is missing, or it belongs to another row. */
export function openOutput(
  keys: MasterKeys,
  workspaceId: string,
  key: ProcessKey,
  { sealed_output: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId }: SealedOutput,
): Buffer {
  return open(keys, outputIdentity(workspaceId, key), { sealedValue, sealedDataKey, keyId });
}
