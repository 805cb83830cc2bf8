import { z } from 'zod';
import { nextCursor, pageQuery } from '../../../contract/page.ts';
import { toolCall } from '../../../contract/tool-call.ts';
import { listToolCalls } from '../../../store/tool-calls/list.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { requireReader } from '../sessions/access.ts';

/** What an agent did beside what it says: from the audit trail, for those who may read the session. */
export function toolCallRoutes({ db }: Pick<SessionRouteDependencies, 'db'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/tool-calls',
      summary:
        'The tool calls of a session with outcome and grant, last recorded first; no arguments or results',
      scope: 'session',
      query: pageQuery,
      response: z.strictObject({ tool_calls: z.array(toolCall), next_cursor: nextCursor }),
      async handler({ query, ...visit }) {
        await requireReader(db, visit);
        const { items, nextCursor } = await listToolCalls(db, visit.session.id, query);
        return { tool_calls: items, next_cursor: nextCursor };
      },
    }),
  ];
}
