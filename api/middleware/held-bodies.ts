/**
 * Counts the bytes of bodies while requests are worked on: those that wait for the database would
 * otherwise be held in any number.
 */
import type { Context } from 'koa';
import { createSharedBytes } from '../../lib/limits/byte-budget.ts';
import { ApiError } from '../errors.ts';
import type { Leave } from './concurrency-limit.ts';
import { requestState } from './request-state.ts';

const mebibyte = 1024 * 1024;
/**
 * Of all callers in this process, of the people and sessions of a workspace, or of all strangers, and
 * of one caller: a person, a session, or an address of strangers. A body takes some four times as
 * much memory once it is read.
 */
const heldBytes = {
  totalBytes: 64 * mebibyte,
  shareBytes: { caller: 16 * mebibyte, workspace: 32 * mebibyte },
};
/** What is not larger counts nothing. */
const smallBytes = 16 * 1024;
const waitMs = 2000;

/**
 * Waits for room for the request's body, before it is read, and returns how to give it back. Throws 503 when
 * there is none for this caller for a while.
 */
export type HoldBody = (ctx: Context) => Promise<Leave>;

export function createHeldBodies({ maxBytes }: { maxBytes: number }): HoldBody {
  const shared = createSharedBytes(heldBytes);
  return async (ctx) => {
    const bytes = Math.min(announcedBytes(ctx) ?? maxBytes, maxBytes);
    if (bytes <= smallBytes) {
      return () => undefined;
    }
    const { userId, sessionId, workspaceId } = requestState(ctx);
    const isStranger = userId === null && sessionId === null;
    const room = shared({
      caller: userId ?? sessionId ?? ctx.ip,
      workspace: isStranger ? 'strangers' : workspaceId,
    });
    if (!(await room.take(bytes, waitMs))) {
      const message = 'Too many large requests are being worked on; try again later';
      throw new ApiError('unavailable', message, { retryAfterSeconds: 1 });
    }
    return () => room.give(bytes);
  };
}

/** Null for a body without a length. */
export function announcedBytes(ctx: Context): number | null {
  const isChunked = ctx.get('Transfer-Encoding') !== '';
  return isChunked ? null : Math.max(0, Number(ctx.get('Content-Length')) || 0);
}
