import { accessTokenAnswer, accessTokenReport } from '../../../contract/remote-server.ts';
import { isWorkspaceOpen } from '../../../store/workspaces/closing.ts';
import { createRateLimiter } from '../../middleware/rate-limit.ts';
import { giveToken, type TokenDependencies } from '../../oauth-connections/give-token.ts';
import { nobodyCanSignIn } from '../../oauth-connections/require-sign-in.ts';
import { readAsker } from '../../oauth-connections/token-asker.ts';
import { itsSidecar } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';

/** A bridge keeps its token until it ends, and asks again when the server refuses it. */
const tokensPerMinute = 120;

/** It does not count as activity of the agent. */
export function accessTokenRoute(dependencies: TokenDependencies): AnyRoute {
  const asked = createRateLimiter({
    name: 'access tokens a minute of a session',
    perMinute: tokensPerMinute,
  });
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/access-tokens',
    summary:
      'An access token of the session’s operator, or of the check’s, for a remote server that was frozen',
    scope: 'workload',
    access: itsSidecar,
    secretBody: true,
    body: accessTokenReport,
    response: accessTokenAnswer,
    async handler({ workload, body: { server, ...question } }) {
      asked.take(workload.kind === 'check' ? workload.check.id : workload.session.id);
      const { workspace_id: workspaceId } = workload.kind === 'check' ? workload.check : workload.session;
      if (!(await isWorkspaceOpen(dependencies.db, workspaceId))) {
        return nobodyCanSignIn(server);
      }
      const asker = await readAsker(dependencies.db, { workload }, server);
      return asker === null ? nobodyCanSignIn(server) : giveToken(dependencies, asker, question);
    },
  });
}
