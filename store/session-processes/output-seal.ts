/** Process outputs are sealed like secrets, each bound to its own row; the name cannot collide with a secret's. */
import * as z from 'zod';
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
export const sealedOutput = z.object({
  sealed_output: z.instanceof(Buffer),
  sealed_data_key: z.instanceof(Buffer),
  key_id: z.string(),
});

/** Decrypts the stored output of a process. Throws UnreadableSecretError when the key that sealed it is missing, or it belongs to another row. */
export function openOutput(
  keys: MasterKeys,
  workspaceId: string,
  key: ProcessKey,
  { sealed_output: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId }: z.infer<typeof sealedOutput>,
): Buffer {
  return open(keys, outputIdentity(workspaceId, key), { sealedValue, sealedDataKey, keyId });
}
