import { Readable } from 'node:stream';
import * as z from 'zod';
import { eventPosition, uuid } from '../../../contract/names.ts';
import { maxWatchedSessions } from '../../../contract/watched-sessions.ts';
import { listSessionEvents } from '../../../store/session-events/list.ts';
import { readWatchedSessions } from '../../../store/sessions/read-watched.ts';
import { readSignedInUser } from '../../../store/sign-ins/read-signed-in-user.ts';
import { listWorkspacesOfUser } from '../../../store/workspaces/list-of-user.ts';
import { invalid } from '../../errors.ts';
import { type BrowserStreamSource, streamToBrowser } from '../../event-stream/browser-stream.ts';
import type { StreamTiming } from '../../event-stream/session-stream.ts';
import { anySignedIn } from '../../policies/access.ts';
import { type AnyRoute, defineRoute, type SignedIn } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'eventFeed' | 'streamSlots'>;

const timing: StreamTiming = { checkMs: 2000, heartbeatMs: 15_000 };
const batchSize = 100;
const watched = z.tuple([uuid, eventPosition]);

export function browserStreamRoute({ db, eventFeed, streamSlots }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/me/stream',
    summary:
      'Everything that a browser shows live, for all of its tabs, as text/event-stream (contract/browser-stream.ts); `sessions` is a list of `<session id>:<seq of the last known event>` with commas',
    scope: 'user',
    access: anySignedIn,
    query: z.object({ sessions: z.string().max(16_384).default('') }),
    async handler({ ctx, query, user, signInId }) {
      const after = readSessionsParameter(query.sessions);
      const signal = streamSlots.hold(user.id, ctx.res);
      const source = sourceFor({ db, eventFeed }, { user, signInId });
      ctx.type = 'text/event-stream';
      ctx.set('X-Accel-Buffering', 'no');
      ctx.body = Readable.from(streamToBrowser(source, { after, timing, signal }));
    },
  });
}

/** Throws 422 for an invalid or too long list of sessions. */
function readSessionsParameter(text: string): ReadonlyMap<string, number> {
  const entries = z
    .array(watched)
    .max(maxWatchedSessions)
    .safeParse(text === '' ? [] : text.split(',').map((entry) => entry.split(':')));
  if (!entries.success) {
    const message = `must be at most ${maxWatchedSessions} of <session id>:<seq>, with commas between them`;
    throw invalid([{ path: 'sessions', code: 'invalid', message }]);
  }
  return new Map(entries.data);
}

function sourceFor(
  { db, eventFeed }: Pick<Dependencies, 'db' | 'eventFeed'>,
  { user, signInId }: SignedIn,
): BrowserStreamSource {
  return {
    userId: user.id,
    feed: eventFeed,
    async readRoles() {
      if ((await readSignedInUser(db, { userId: user.id, signInId })) === null) {
        return null;
      }
      return new Map((await listWorkspacesOfUser(db, user.id)).map(({ id, role }) => [id, role]));
    },
    readSessions: (ids) => readWatchedSessions(db, ids),
    readEvents: (sessionId, after) => listSessionEvents(db, sessionId, { after, limit: batchSize }),
  };
}
