import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { leaveOnClose } from '../middleware/concurrency-limit.ts';
import type { StreamLimit, StreamOwner } from './stream-limit.ts';

/**
 * Answers with the server-sent events that `stream` yields, until it ends or the client disconnects, which
 * aborts its signal. The slot is given back when the stream has ended, and no longer reads. Throws
 * `rate_limited` without a free place.
 */
export function answerWithEvents(
  ctx: Context,
  { streamLimit, ...owner }: StreamOwner & { streamLimit: StreamLimit },
  stream: (signal: AbortSignal) => AsyncGenerator<string>,
): void {
  const leave = streamLimit.enter(owner);
  const left = new AbortController();
  const events = Readable.from(stream(left.signal));
  // Closed once the generator has returned, also one that never began.
  events.once('close', leave);
  // One listener: Koa and Node add seven, and Node warns from the eleventh on.
  leaveOnClose(ctx.res, () => {
    left.abort();
    events.destroy();
  });
  ctx.type = 'text/event-stream';
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = events;
}
