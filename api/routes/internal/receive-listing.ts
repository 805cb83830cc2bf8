import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { maxListingBytes, toolListing } from '../../../contract/mcp-check.ts';
import type { Db } from '../../../store/database.ts';
import type { CheckRow } from '../../../store/mcp-checks/row.ts';
import { storeCheckText } from '../../../store/mcp-checks/texts.ts';
import type { MasterKeys } from '../../../store/secrets/envelope.ts';
import { tooLarge } from '../../artifacts/receive-artifact.ts';
import { ApiError } from '../../errors.ts';

export interface ListingUpload {
  db: Db;
  keys: MasterKeys;
  check: CheckRow;
  query: { artifact_id: string };
  ctx: Context;
}

/**
 * What the server of a check listed: the one thing that a check hands out. Stored sealed; the check's end decides what of it is shown.
 * Throws 413 beyond the limit, 400 for anything that is not a listing.
 */
export async function receiveListing({ db, keys, check, query, ctx }: ListingUpload) {
  const bytes = await readBounded(ctx);
  const parsed = toolListing.safeParse(jsonOf(bytes));
  if (!parsed.success) {
    throw new ApiError('malformed_request', 'A check hands out its list of tools and nothing else');
  }
  const key = { workspaceId: check.workspace_id, checkId: check.id, kind: 'listing' } as const;
  await storeCheckText(db, keys, key, { bytes, writtenBytes: bytes.length });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { artifact_id: query.artifact_id, size_bytes: bytes.length, sha256 };
}

async function readBounded(ctx: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of ctx.req) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxListingBytes) {
      // What is left of the body is not worth reading.
      ctx.set('Connection', 'close');
      throw tooLarge(maxListingBytes, 'the list of tools of a check');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
