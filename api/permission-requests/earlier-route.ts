import * as z from 'zod';
import { earlierRequests } from '../../contract/permission-request.ts';
import { readEarlierRequests } from '../../store/permission-requests/earlier.ts';
import { anyMember } from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { params, requireRequest } from './visited-request.ts';

/** A route of its own: only whoever looks at one request needs it. */
export function earlierRoute({ db }: Pick<SessionRouteDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/permission-requests/{request_id}/earlier',
    summary:
      'What the agent of a request asked before of the same tool, and how it was decided: of sessions that the caller may read',
    scope: 'workspace',
    access: anyMember,
    params,
    response: z.strictObject({ earlier: earlierRequests }),
    async handler({ params: { request_id: requestId }, ...visit }) {
      const request = await requireRequest(db, visit, requestId);
      return { earlier: await readEarlierRequests(db, { request, readableBy: readableBy(visit) }) };
    },
  });
}
