import * as z from 'zod';
import { eventPosition, uuid } from '../../contract/names.ts';
import { maxWatchedSessions } from '../../contract/watched-sessions.ts';
import { invalid } from '../errors.ts';
import { answerWithEvents } from '../event-stream/answer.ts';
import { streamToBrowser } from '../event-stream/browser-stream.ts';
import { streamTiming } from '../event-stream/stream-timing.ts';
import { anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'eventFeed' | 'streamReads' | 'streamLimit'>;

const watched = z.tuple([uuid, eventPosition]);

export function browserStreamRoute({ eventFeed, streamReads, streamLimit }: Dependencies): AnyRoute {
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
      const viewer = { userId: user.id, signInId };
      const roles = await streamReads.roles(viewer);
      const owner = { userId: user.id, workspaceIds: [...(roles?.keys() ?? [])] };
      const source = { viewer, reads: streamReads, feed: eventFeed };
      answerWithEvents(ctx, { streamLimit, ...owner }, (signal) =>
        streamToBrowser(source, { after, timing: streamTiming, signal }),
      );
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
