/**
 * Previews, their files or their service, at host names that have nothing else: no route of the API, no
 * cookie and no credential counts here, and nothing of a preview is at any other host
 * (docs/previews.md#where-they-are-opened).
 */
import type { Context, Next } from 'koa';
import { previewDomainOf } from '../../config/preview-domain.ts';
import { folderAddress, requestedFile } from '../../contract/preview-path.ts';
import { type ByteBudget, createSharedBytes } from '../../lib/limits/byte-budget.ts';
import { onBehalfOf } from '../../store/connection-shares.ts';
import type { Db } from '../../store/database.ts';
import { findOpening, type OpenedPreview, readPreviewFile } from '../../store/previews/openings.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError } from '../errors.ts';
import { leaveOnClose } from '../middleware/concurrency-limit.ts';
import { createWorkspaceOwners } from '../middleware/connection-owners.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { requestState } from '../middleware/request-state.ts';
import { whyNotOpenPreview } from '../policies/previews.ts';
import { contentTypeOf } from './content-type.ts';
import { commonPreviewHeaders, fileHeaders, noticePolicy, previewPolicy } from './headers.ts';
import { answerNotice, noFilePage, notOpenPage } from './notice-page.ts';
import { labelSha256, previewHostOf } from './origin.ts';
import { createProxyConnections } from './proxy-connections.ts';
import { answerFromService } from './proxy-service.ts';

const mebibyte = 1024 * 1024;
/** Of files that this process holds for those who read them, however slowly they do. */
const sentBytes = {
  totalBytes: 64 * mebibyte,
  shareBytes: { visitor: 16 * mebibyte, workspace: 32 * mebibyte },
};
const sentWaitMs = 2000;
/** Whoever has not read a file by then has it cut off. */
const sendLimitMs = 30_000;

/**
 * Runs before everything that looks at a path or at who asks. Throws 405 for files, 429 for an address that
 * asks too often, and what a service adds.
 */
export function servePreviews({ db, config }: Pick<ApiDependencies, 'db' | 'config'>) {
  const domain = previewDomainOf(config);
  const scheme = config.PUBLIC_URL === undefined ? 'http:' : new URL(config.PUBLIC_URL).protocol;
  const asked = createRateLimiter({
    name: 'requests to previews a minute from one address',
    perMinute: config.RATE_PREVIEW_REQUESTS_PER_MINUTE,
  });
  const sent = createSharedBytes(sentBytes);
  const connectionOwner = createWorkspaceOwners(config);
  const connections = createProxyConnections(
    async (label, address) => (await openPreview(db, label))?.service?.address === address,
  );
  return async (ctx: Context, next: Next): Promise<void> => {
    const host = previewHostOf(ctx.get('Host'), domain);
    if (host === null) {
      return next();
    }
    // Never the path: it is the agent's.
    requestState(ctx).route = 'preview';
    ctx.set(commonPreviewHeaders);
    ctx.set('Content-Security-Policy', noticePolicy);
    asked.take(ctx.ip);
    const { label } = host;
    const opened = label === null ? null : await openPreview(db, label);
    if (label === null || opened === null) {
      answerNotice(ctx, 404, notOpenPage);
      return;
    }
    const { previewId, workspaceId, service, visitor } = opened;
    const origin = `${scheme}//${ctx.get('Host').toLowerCase()}`;
    if (service !== null) {
      const asking = { previewId, workspaceId, userId: visitor.userId, service, label, origin };
      await answerFromService(ctx, asking, { config, connections });
      return;
    }
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new ApiError('method_not_allowed', 'A preview is only read');
    }
    const room = sent({ visitor: visitor.userId, workspace: workspaceId });
    await answerWithin(ctx, { room, fileBytes: config.LIMIT_PREVIEW_FILE_BYTES }, () =>
      onBehalfOf(connectionOwner(workspaceId), () => answerFile(ctx, db, { previewId, origin })),
    );
  };
}

/** Asked with each request: the person may have left, signed out or lost the session since they opened it. */
async function openPreview(db: Db, label: string): Promise<OpenedPreview | null> {
  const opened = await findOpening(db, labelSha256(label));
  return opened !== null &&
    whyNotOpenPreview(opened, opened.visitor, opened.session, opened.isShared) === null
    ? opened
    : null;
}

/**
 * Holds room for the largest file until the file has been read and the answer is sent, or cut off.
 * Reads nothing for a visitor who has left while they waited for room. Throws 503 when there is none
 * for this person for a while.
 */
async function answerWithin(
  ctx: Context,
  { room, fileBytes }: { room: ByteBudget; fileBytes: number },
  answer: () => Promise<void>,
): Promise<void> {
  if (!(await room.take(fileBytes, sentWaitMs))) {
    throw new ApiError('unavailable', 'Many files of previews are being sent at the moment; try again later');
  }
  const timer = setTimeout(() => ctx.res.destroy(), sendLimitMs);
  try {
    if (!ctx.res.destroyed) {
      await answer();
    }
  } finally {
    leaveOnClose(ctx.res, () => {
      clearTimeout(timer);
      room.give(fileBytes);
    });
  }
}

async function answerFile(
  ctx: Context,
  db: Db,
  { previewId, origin }: { previewId: string; origin: string },
): Promise<void> {
  const requested = requestedFile(ctx.path);
  const found =
    requested === null
      ? null
      : await readPreviewFile(db, previewId, { path: requested.path, otherPath: requested.indexPath });
  if (found === null) {
    answerNotice(ctx, 404, noFilePage);
  } else if (found.bytes === null) {
    ctx.redirect(folderAddress(found.path));
  } else {
    ctx.set(fileHeaders);
    ctx.set('Content-Security-Policy', previewPolicy(origin));
    ctx.set('Content-Type', contentTypeOf(found.path));
    ctx.body = found.bytes;
  }
}
