import {
  hasMcpCheckEnded,
  type McpCheck,
  type ToolListing,
  toolListing,
} from '../../../contract/mcp-check.ts';
import type { CheckRow } from '../../../store/mcp-checks/row.ts';
import { readCheckText, readOutputSize } from '../../../store/mcp-checks/texts.ts';
import { UnreadableSecretError } from '../../../store/secrets/envelope.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config'>;

/** The list of tools is shown once the check has ended and secret values have been redacted from it. */
export async function presentCheck({ db, config }: Dependencies, check: CheckRow): Promise<McpCheck> {
  const { mcp_server_id, server_name: name, entry_version: version, process } = check;
  const { id, status, reason, started_by, created_at, started_at, ended_at } = check;
  const outputSizeBytes = await readOutputSize(db, id);
  return {
    ...{ id, status, reason, started_by, created_at, started_at, ended_at },
    mcp_server: { id: mcp_server_id, name, version },
    process: process && { ...process, output_size_bytes: outputSizeBytes },
    listing: hasMcpCheckEnded(status) ? await readListing({ db, config }, check) : null,
  };
}

async function readListing(
  { db, config }: Dependencies,
  { id: checkId, workspace_id: workspaceId }: CheckRow,
): Promise<ToolListing | null> {
  const key = { workspaceId, checkId, kind: 'listing' } as const;
  const text = await readCheckText(db, config.MASTER_KEYS, key).catch((error: unknown) => {
    if (error instanceof UnreadableSecretError) {
      return null;
    }
    throw error;
  });
  return text && toolListing.parse(JSON.parse(text.bytes.toString('utf8')));
}
