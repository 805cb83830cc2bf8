/**
 * Counts the bytes of answers that have been made and not been sent, since whoever reads none of them
 * has this process keep them.
 */
import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';
import { createSharedBytes } from '../../lib/limits/byte-budget.ts';
import { ApiError } from '../errors.ts';
import { leaveOnClose } from './concurrency-limit.ts';
import { requestState } from './request-state.ts';

const mebibyte = 1024 * 1024;
/**
 * Of all callers in this process, of the people and sessions of a workspace, and of one caller: a person, a
 * session, or an address of strangers.
 */
const unreadBytes = {
  totalBytes: 96 * mebibyte,
  shareBytes: { caller: 24 * mebibyte, workspace: 48 * mebibyte },
};

/**
 * For answers that are made as a whole; streams wait for their readers by themselves. Throws 503 in place of
 * one that was only read and does not fit. What was changed is answered in any case: such answers are small,
 * and their callers would change it again.
 */
export function countUnreadAnswers() {
  const shared = createSharedBytes(unreadBytes);
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    const bytes = encodedBody(ctx);
    if (bytes === null) {
      return;
    }
    const { userId, sessionId, workspaceId } = requestState(ctx);
    const budget = shared({ caller: userId ?? sessionId ?? ctx.ip, workspace: workspaceId });
    if (budget.tryTake(bytes.length)) {
      leaveOnClose(ctx.res, () => budget.give(bytes.length));
    } else if (ctx.method === 'GET') {
      const message = 'Too many bytes of earlier answers have not been read yet; read them, and try again';
      throw new ApiError('unavailable', message, { retryAfterSeconds: 1 });
    }
    ctx.body = bytes;
  };
}

/** As it will be sent; null without a body, and for a stream. */
function encodedBody({ body, response }: Context): Buffer | null {
  if (body === undefined || body === null || body instanceof Readable) {
    return null;
  }
  if (Buffer.isBuffer(body)) {
    return body;
  }
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(response.body));
}
