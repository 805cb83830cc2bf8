/** What processes wrote is sealed as secrets are, each for its own row; no secret can have such a name. */
import type { ProcessKind } from '../../contract/session-process.ts';
import type { SecretIdentity } from '../secrets/envelope.ts';

export interface ProcessKey {
  sessionId: string;
  kind: ProcessKind;
  name: string;
}

export const outputIdentity = (
  workspaceId: string,
  { sessionId, kind, name }: ProcessKey,
): SecretIdentity => ({ workspaceId, name: `output/${sessionId}/${kind}/${name}` });
