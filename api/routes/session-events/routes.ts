import { Readable } from 'node:stream';
import type { Context } from 'koa';
import * as z from 'zod';
import { eventPosition } from '../../../contract/names.ts';
import type { Session } from '../../../contract/session.ts';
import { isTerminal } from '../../../contract/session.ts';
import { sessionEvent } from '../../../contract/session-event.ts';
import { readMembership } from '../../../store/members/read-membership.ts';
import { listSessionEvents } from '../../../store/session-events/list.ts';
import { isSharedWithWorkspace, readSession } from '../../../store/sessions/read-session.ts';
import { readSignedInUser } from '../../../store/sign-ins/read-signed-in-user.ts';
import { invalid } from '../../errors.ts';
import { type StreamTiming, streamSessionEvents } from '../../event-stream/session-stream.ts';
import { sessionReaders } from '../../policies/access.ts';
import { whyNotReadSession } from '../../policies/sessions.ts';
import { type AnyRoute, defineRoute, type SignedIn, written } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'eventFeed' | 'streamSlots'>;

const timing: StreamTiming = { checkMs: 2000, heartbeatMs: 15_000 };
const eventStream = 'text/event-stream';
const batchSize = 200;

export function sessionEventRoutes(dependencies: Dependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/events',
      summary: `The session's events in order; as ${eventStream} when asked for, resuming by Last-Event-ID`,
      scope: 'session',
      access: sessionReaders,
      query: z.object({
        after: eventPosition.default(0),
        limit: z.coerce.number().int().min(1).max(batchSize).default(100),
      }),
      response: z.strictObject({ events: z.array(sessionEvent), next_after: z.int() }),
      async handler({ ctx, query, ...visit }) {
        if (ctx.accepts(['application/json', eventStream]) === eventStream) {
          await answerStream(dependencies, ctx, visit, lastEventId(ctx) ?? query.after);
          return written;
        }
        const events = await listSessionEvents(db, visit.session.id, query);
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
  { db, eventFeed, streamSlots }: Dependencies,
  ctx: Context,
  { session, user, signInId }: SignedIn & { session: Session },
  after: number,
): Promise<void> {
  const read = (from: number) => listSessionEvents(db, session.id, { after: from, limit: batchSize });
  if (isTerminal(session.status) && (await read(after)).length === 0) {
    // There will be no more events: at this status a browser stops reconnecting.
    ctx.status = 204;
    return;
  }
  const signal = streamSlots.hold(user.id, ctx.res);
  const source = {
    read,
    subscribe: (wake: () => void) => eventFeed.subscribe(session.id, wake),
    mayRead: () => stillReads(db, { userId: user.id, signInId, sessionId: session.id }),
  };
  ctx.type = eventStream;
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = Readable.from(streamSessionEvents(source, { after, timing, signal }));
}

/** The same questions that a new request would have to answer: signed in, a member, allowed to read. */
async function stillReads(
  db: Dependencies['db'],
  { userId, signInId, sessionId }: { userId: string; signInId: string; sessionId: string },
): Promise<boolean> {
  const user = await readSignedInUser(db, { userId, signInId });
  const session = user === null ? null : await readSession(db, sessionId);
  if (user === null || session === null) {
    return false;
  }
  const membership = await readMembership(db, userId, { workspaceId: session.workspace_id });
  return (
    membership !== null &&
    whyNotReadSession(
      { userId, role: membership.role },
      session,
      await isSharedWithWorkspace(db, sessionId),
    ) === null
  );
}
