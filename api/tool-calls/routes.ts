import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { openCallList } from '../../contract/open-calls.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { keptPayloads, refusedCalls, toolCall } from '../../contract/tool-call.ts';
import { listRefusedCalls, listToolCalls, readPayloads } from '../../store/tool-calls/list.ts';
import { listOpenCalls } from '../../store/tool-calls/record.ts';
import { notFound } from '../errors.ts';
import { admins, sessionReaders } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { whyRoute } from './why-route.ts';

/**
 * What an agent did, as opposed to what it says: from the audit trail, for those who may read the session.
 */
export function toolCallRoutes({ db, config }: Pick<SessionRouteDependencies, 'db' | 'config'>): AnyRoute[] {
  return [
    whyRoute({ db, config }),
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/tool-calls',
      summary:
        'The tool calls of a session with outcome and grant, last recorded first; no arguments or results',
      scope: 'session',
      access: sessionReaders,
      isCompressed: true,
      query: pageQuery,
      response: z.strictObject({ tool_calls: z.array(toolCall), next_cursor: nextCursor }),
      async handler({ query, ...visit }) {
        const { items, nextCursor } = await listToolCalls(db, visit.session.id, query);
        return { tool_calls: items, next_cursor: nextCursor };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/tool-calls/{call_id}/payloads',
      summary:
        'Arguments and result of one call, where the workspace keeps them, for those who may read the audit trail',
      scope: 'session',
      access: admins('audit.read'),
      params: z.object({ call_id: uuid }),
      response: keptPayloads,
      async handler({ params, ...visit }) {
        const found = await readPayloads(db, { sessionId: visit.session.id, callId: params.call_id });
        if (found === null) {
          throw notFound('The call');
        }
        return found;
      },
    }),
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/tool-calls/open',
      summary:
        'Calls of a session that have waited for their server for some seconds, oldest first; no arguments',
      scope: 'session',
      access: sessionReaders,
      response: openCallList,
      handler: (visit) => listOpenCalls(db, visit.session.id),
    }),
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/tool-calls/refused',
      summary:
        'Calls of a session that were refused beyond a limit and kept as counts, by server, tool and outcome; last refused first',
      scope: 'session',
      access: sessionReaders,
      response: z.strictObject({ refused_calls: z.array(refusedCalls) }),
      async handler(visit) {
        return { refused_calls: await listRefusedCalls(db, visit.session.id) };
      },
    }),
  ];
}
