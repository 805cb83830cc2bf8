/**
 * The refused call of a request, with the arguments that its sidecar kept: a route of its own, for fewer
 * people than the request.
 */
import * as z from 'zod';
import { callDigest } from '../../contract/names.ts';
import { refusedCall } from '../../contract/permission-request.ts';
import { readCall } from '../../store/permission-requests/calls.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import { notFound, requireAllowed } from '../errors.ts';
import { anyMember } from '../policies/access.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { whyNotDeny } from '../policies/permission-requests.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { params, requireQuestion, requireRequest } from './visited-request.ts';

const call = refusedCall.pick({ server: true, tool: true }).extend({
  digest: callDigest,
  /** In canonical form; null once they were erased. */
  arguments: z.string().nullable(),
});

export function callRoute({ db, config }: Pick<SessionRouteDependencies, 'db' | 'config'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/permission-requests/{request_id}/call',
    summary:
      'The very call that was refused before the agent asked, with its arguments: for those who may decide and may read the session',
    scope: 'workspace',
    access: anyMember,
    params,
    response: z.strictObject({ call }),
    async handler({ params: { request_id: requestId }, ...visit }) {
      const request = await requireRequest(db, visit, requestId);
      const question = await requireQuestion(db, visit, request);
      requireAllowed(whyNotDeny(grantMaker(visit), question));
      const { digest = null, server = '', tool = '' } = request.refused_call ?? {};
      if (digest === null) {
        throw notFound('A call with its arguments');
      }
      const key = { workspaceId: visit.workspace.id, requestId };
      const kept = await readCall(db, config.MASTER_KEYS, key).catch(whenSealed);
      return { call: { server, tool, digest, arguments: kept } };
    },
  });
}

/** Its key has been retired: the arguments cannot be read any more. */
function whenSealed(error: unknown): null {
  if (error instanceof UnreadableSecretError) {
    return null;
  }
  throw error;
}
