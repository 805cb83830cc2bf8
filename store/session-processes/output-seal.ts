/** What processes wrote is sealed as secrets are, each for its own row; no secret can have such a name. */
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

/** Opens what is stored of a process's output. Throws UnreadableSecretError when the key that sealed it is gone, or it is another row's. */
export function openOutput(
  keys: MasterKeys,
  workspaceId: string,
  key: ProcessKey,
  { sealed_output: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId }: SealedOutput,
): Buffer {
  return open(keys, outputIdentity(workspaceId, key), { sealedValue, sealedDataKey, keyId });
}
