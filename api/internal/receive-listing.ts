import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { storeListing } from '../../commands/mcp-checks/checks.ts';
import { jsonOrNull } from '../../contract/json-or-null.ts';
import { holdsMoreValues, maxRequestValues } from '../../contract/json-values.ts';
import { maxListingBytes, toolListing } from '../../contract/mcp-check.ts';
import type { Db } from '../../store/database.ts';
import type { CheckRow } from '../../store/mcp-checks/checks.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { tooLarge } from '../artifacts/receive-artifact.ts';
import { ApiError } from '../errors.ts';
import { createConcurrencyLimit } from '../middleware/concurrency-limit.ts';
import { requestState } from '../middleware/request-state.ts';

interface Dependencies {
  db: Db;
  keys: MasterKeys;
}

export interface ListingUpload {
  check: CheckRow;
  query: { artifact_id: string };
  ctx: Context;
}

/** `receiveListing` for one upload of a check at a time; throws `rate_limited` for another. */
export function listingReceiver(dependencies: Dependencies) {
  const enter = createConcurrencyLimit({ name: 'upload of a check at a time', limit: 1 });
  return async (upload: ListingUpload) => {
    const leave = enter(upload.check.id);
    return await receiveListing(dependencies, upload).finally(leave);
  };
}

/**
 * Receives what the server of a check listed, the only output of a check. Stored sealed; the check's end
 * decides what of it is shown. Throws 413 beyond the limit, 400 for anything that is not a listing, 401
 * when the check has ended.
 */
async function receiveListing({ db, keys }: Dependencies, { check, query, ctx }: ListingUpload) {
  const bytes = await readBounded(ctx);
  if (!toolListing.safeParse(jsonOf(bytes)).success) {
    throw new ApiError('malformed_request', 'A check hands out its list of tools and nothing else');
  }
  // The token was valid when the upload began, but not if the check has ended since.
  if (!(await storeListing(db, keys, check, bytes))) {
    throw new ApiError('unauthenticated', 'The check has ended');
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { artifact_id: query.artifact_id, size_bytes: bytes.length, sha256 };
}

/** In one buffer, however small the pieces are that it arrives in. */
async function readBounded(ctx: Context): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(maxListingBytes);
  const { countBody } = requestState(ctx);
  let sizeBytes = 0;
  for await (const chunk of ctx.req) {
    countBody(chunk.length);
    if (sizeBytes + chunk.length > maxListingBytes) {
      // The rest of the body is not read.
      ctx.set('Connection', 'close');
      throw tooLarge(maxListingBytes, 'the list of tools of a check');
    }
    sizeBytes += chunk.copy(buffer, sizeBytes);
  }
  return buffer.subarray(0, sizeBytes);
}

/** Null for text that is not JSON, or has more values than any list of tools. */
function jsonOf(bytes: Buffer): unknown {
  return holdsMoreValues(bytes, maxRequestValues) ? null : jsonOrNull(bytes.toString('utf8'));
}
