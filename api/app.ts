/** The HTTP application: checks that hold for every request, then the routes. */
import Koa from 'koa';
import { type AuthenticateDependencies, createAuthenticate } from './auth/authenticate.ts';
import type { ApiDependencies } from './dependencies.ts';
import { setClientAddress } from './middleware/client-address.ts';
import { compressAnswers } from './middleware/compressed-answers.ts';
import { createShares } from './middleware/concurrency-limit.ts';
import { createConcurrencyQueue } from './middleware/concurrency-queue.ts';
import { createConnectionOwners } from './middleware/connection-owners.ts';
import { answerErrors } from './middleware/errors.ts';
import { createHeldBodies } from './middleware/held-bodies.ts';
import { checkHost } from './middleware/host.ts';
import { logRequests } from './middleware/log.ts';
import { checkOrigin } from './middleware/origin.ts';
import { createRateLimiter } from './middleware/rate-limit.ts';
import { setSecurityHeaders } from './middleware/security-headers.ts';
import { createSignInLimit } from './middleware/sign-in-limit.ts';
import { countUnreadAnswers } from './middleware/unread-answers.ts';
import { mountRoutes } from './mount.ts';
import { servePreviews } from './previews/serve-previews.ts';
import type { AnyRoute } from './route.ts';
import type { WebFiles } from './web-files/load-web-files.ts';
import { serveWebFiles } from './web-files/serve-web-files.ts';

/**
 * Answers that are sent as they are made: 256 KiB of a file, or a page of an export, are in memory for each.
 */
const downloads = { name: 'downloads at a time', whole: 64, shares: { user: 8, workspace: 32 } };

export type AppDependencies = AuthenticateDependencies & Pick<ApiDependencies, 'log'>;

/**
 * Creates the application; it does not listen yet (`server.ts` does). Without `web` there is no web UI.
 * Throws when two routes have the same method and path.
 */
export function createApp(
  dependencies: AppDependencies,
  routes: readonly AnyRoute[],
  web: WebFiles | null = null,
): Koa {
  const { config, log } = dependencies;
  const app = new Koa();
  // The error middleware answers and logs; what still arrives here is a broken connection.
  app.on('error', (error: unknown) => log.debug({ code: errorCode(error) }, 'connection ended early'));
  app.use(logRequests(log));
  app.use(setClientAddress(config.TRUST_PROXY));
  app.use(setSecurityHeaders);
  app.use(answerErrors(log));
  // Before all that serves the platform: the two share a process, and no host.
  app.use(servePreviews(dependencies));
  app.use(checkHost(config));
  app.use(checkOrigin(config));
  if (web !== null) {
    app.use(serveWebFiles(web));
  }
  app.use(compressAnswers());
  app.use(countUnreadAnswers());
  mountRoutes(app, routes, {
    authenticate: createAuthenticate(dependencies),
    limits: {
      body: { maxBytes: config.LIMIT_BODY_BYTES, deadlineMs: config.LIMIT_BODY_SECONDS * 1000 },
      holdBody: createHeldBodies({ maxBytes: config.LIMIT_BODY_BYTES }),
      queue: createConcurrencyQueue({
        atATime: config.LIMIT_USER_CONCURRENT_REQUESTS,
        waiting: config.LIMIT_USER_WAITING_REQUESTS,
      }),
      stopQueue: createConcurrencyQueue({
        name: 'requests at a time per user that end or refuse something',
        atATime: config.LIMIT_USER_CONCURRENT_REQUESTS,
        waiting: config.LIMIT_USER_WAITING_REQUESTS,
      }),
      downloads: createShares(downloads),
      connections: createConnectionOwners(dependencies.db, config),
      signIn: createSignInLimit(config),
      // Many people may share an address, as they do when they sign in.
      strangers: createRateLimiter({
        name: 'requests a minute per address without signing in',
        perMinute: config.RATE_SIGN_IN_PER_MINUTE,
      }),
    },
  });
  return app;
}

function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
