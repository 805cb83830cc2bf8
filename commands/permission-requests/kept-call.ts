/** What a permission request keeps of the call that was refused before its agent asked. */
import { digestOfCall, sha256OfCall } from '../../contract/call-digest.ts';
import { maxStoredInteger } from '../../contract/names.ts';
import type { RefusedCall, ReportedCall } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { Transaction } from '../../store/database.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { readFrozenVersion } from '../../store/session-configurations/configurations.ts';
import { readKeepsRefusedCalls } from '../../store/workspaces/workspaces.ts';

/** Seals the arguments of refused calls, and keys their digests. */
export interface CallKeys {
  masterKeys: MasterKeys;
  callDigestKey: Buffer;
}

export interface KeptCall extends RefusedCall {
  /** To be sealed: present with a digest, and only then. */
  argumentsText: string | null;
}

/**
 * The digest is of exactly the arguments that are kept, so that people decide on what they see. Nothing but
 * server and tool is kept where the workspace turns it off, where the session froze no version of the server,
 * and of a text with half a character, which would be shown as another one.
 */
export async function keptCallOf(
  trx: Transaction,
  callDigestKey: Buffer,
  { id: sessionId, workspace_id: workspaceId }: Session,
  reported: ReportedCall | null,
): Promise<KeptCall | null> {
  if (reported === null) {
    return null;
  }
  const { server, tool, arguments: argumentsText, arguments_size_bytes: size } = reported;
  const bare = { server, tool, digest: null, arguments_size_bytes: null, argumentsText: null };
  if (!(await readKeepsRefusedCalls(trx, workspaceId))) {
    return bare;
  }
  if (argumentsText === undefined) {
    return { ...bare, arguments_size_bytes: size === undefined ? null : Math.min(size, maxStoredInteger) };
  }
  const entryVersion = await readFrozenVersion(trx, sessionId, server);
  if (entryVersion === null || !argumentsText.isWellFormed()) {
    return bare;
  }
  return {
    server,
    tool,
    digest: digestOfCall(callDigestKey, sha256OfCall({ server, tool, entryVersion, argumentsText })),
    arguments_size_bytes: Buffer.byteLength(argumentsText),
    argumentsText,
  };
}
