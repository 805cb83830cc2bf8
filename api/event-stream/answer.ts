import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { StreamSlots } from './stream-slots.ts';

/**
 * Answers with the server-sent events that `stream` yields, until it ends or the client disconnects, which aborts its signal. Throws
 * `rate_limited` without a free slot.
 */
export function answerWithEvents(
  ctx: Context,
  { streamSlots, userId }: { streamSlots: StreamSlots; userId: string },
  stream: (signal: AbortSignal) => AsyncGenerator<string>,
): void {
  const signal = streamSlots.hold(userId, ctx.res);
  ctx.type = 'text/event-stream';
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = Readable.from(stream(signal));
}
