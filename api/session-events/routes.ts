import type { Context } from 'koa';
import * as z from 'zod';
import { eventPosition } from '../../contract/names.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { sessionEvent } from '../../contract/session-event.ts';
import { listEventsBefore, listSessionEvents } from '../../store/session-events/list.ts';
import { invalid } from '../errors.ts';
import { answerWithEvents } from '../event-stream/answer.ts';
import { streamSessionEvents } from '../event-stream/session-stream.ts';
import { streamTiming } from '../event-stream/stream-timing.ts';
import { sessionReaders } from '../policies/access.ts';
import { type AnyRoute, defineRoute, type SignedIn, written } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'eventFeed' | 'streamReads' | 'streamLimit'>;

const eventStream = 'text/event-stream';

export function sessionEventRoutes(dependencies: Dependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/events',
      summary: `The session's events in order; as ${eventStream} when asked for, resuming by Last-Event-ID`,
      scope: 'session',
      access: sessionReaders,
      isCompressed: true,
      query: z.object({
        after: eventPosition.default(0),
        /** The last ones before it, in order; beyond the end, the newest. Not for a stream. */
        before: eventPosition.optional(),
        limit: z.coerce.number().int().min(1).max(200).default(100),
      }),
      response: z.strictObject({ events: z.array(sessionEvent), next_after: z.int() }),
      async handler({ ctx, query, ...visit }) {
        if (ctx.accepts(['application/json', eventStream]) === eventStream) {
          if (query.before !== undefined) {
            throw invalid([{ path: 'before', code: 'invalid', message: 'is not for a stream' }]);
          }
          await answerStream(dependencies, ctx, visit, lastEventId(ctx) ?? query.after);
          return written;
        }
        const { before, ...page } = query;
        const events =
          before === undefined
            ? await listSessionEvents(db, visit.session.id, page)
            : await listEventsBefore(db, visit.session.id, { ...page, before });
        return { events, next_after: events.at(-1)?.seq ?? query.after };
      },
    }),
  ];
}

/** Where a reconnecting client resumes. */
function lastEventId(ctx: Context): number | null {
  const header = ctx.get('Last-Event-ID');
  if (header === '') {
    return null;
  }
  const parsed = eventPosition.safeParse(header);
  if (!parsed.success) {
    throw invalid([{ path: 'Last-Event-ID', code: 'invalid', message: 'must be the id of an event' }]);
  }
  return parsed.data;
}

async function answerStream(
  { db, eventFeed, streamReads, streamLimit }: Dependencies,
  ctx: Context,
  { session, user, signInId }: SignedIn & { session: Session },
  after: number,
): Promise<void> {
  const { id: sessionId, status } = session;
  if (isTerminal(status) && (await listSessionEvents(db, sessionId, { after, limit: 1 })).length === 0) {
    // There will be no more events: at this status a browser stops reconnecting.
    ctx.status = 204;
    return;
  }
  const source = { viewer: { userId: user.id, signInId }, reads: streamReads, feed: eventFeed };
  const owner = { userId: user.id, workspaceIds: [session.workspace_id] };
  answerWithEvents(ctx, { streamLimit, ...owner }, (signal) =>
    streamSessionEvents(source, { sessionId, after, timing: streamTiming, signal }),
  );
}
