/** The API: what people and sidecars talk to. */
import { fileURLToPath } from 'node:url';
import pino, { type Logger } from 'pino';
import { createApp } from '../api/app.ts';
import { createOidcProvider } from '../api/auth/oidc.ts';
import { endLongRefused, type RenewalDependencies, renewDueSignIns } from '../api/auth/renew-sign-ins.ts';
import { signInSeconds } from '../api/auth/session-cookie.ts';
import { embeddingServersWith } from '../api/embedding-provider/provider-url.ts';
import { createStreamLimit } from '../api/event-stream/stream-limit.ts';
import { createStreamReads } from '../api/event-stream/stream-reads.ts';
import { createSignApproval } from '../api/grants/sign-approval.ts';
import { upgradePreviews } from '../api/previews/upgrade-previews.ts';
import { allRoutes } from '../api/routes.ts';
import { listen } from '../api/server.ts';
import { loadWebFiles } from '../api/web-files/load-web-files.ts';
import { createWorkflowClient } from '../api/workflow-client.ts';
import { type ApiConfig, apiConfig } from '../config/api.ts';
import { ConfigurationError, parseEnvironment } from '../config/parse.ts';
import { temporalConnection } from '../config/temporal.ts';
import { toolConnections } from '../config/tool-connections.ts';
import { remoteServersWith } from '../lib/oauth/requests.ts';
import { createPatternChecker } from '../lib/patterns/pattern-checker.ts';
import { openDatabase } from '../store/database.ts';
import { countMadeByRules } from '../store/members/by-rule.ts';
import { verifyMasterKeys } from '../store/secrets/master-keys.ts';
import { openSessionEventFeed } from '../store/session-events/feed.ts';
import { removeEndedRenewals, removeOtherRenewals } from '../store/sign-ins/renewals.ts';
import { requireUsableDatabase } from '../store/usable-server.ts';
import { keepSweeping, type SweepWork } from './keep-sweeping.ts';
import { readEnvironment } from './read-environment.ts';
import { reportFailure } from './report-failure.ts';
import { reportUnread } from './report-unread.ts';

/** What is open for longer is cut: every stream, and a request that is still not answered. */
const closeLimitMs = 5_000;
/** No caller waits longer for an answer, and a slow statement holds a connection that others wait for. */
const statementTimeoutMs = 15_000;
/** A sidecar waits 25 s for a tool. */
const toolStatementTimeoutMs = 10_000;
/** A sign-in is renewed so long after it is due, at most. */
const renewEveryMs = 10_000;
/** Beside this program once it is built. */
const webDirectory = fileURLToPath(new URL('web', import.meta.url));

async function main(config: ApiConfig, log: Logger): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, () => resolve());
    }
  });
  const toolPool = toolConnections(config.DATABASE_POOL);
  const db = openDatabase(config.DATABASE_URL, {
    poolSize: config.DATABASE_POOL - toolPool,
    statementTimeoutMs,
  });
  const toolDb = openDatabase(config.DATABASE_URL, {
    poolSize: toolPool,
    statementTimeoutMs: toolStatementTimeoutMs,
  });
  await requireUsableDatabase(db, 'api');
  await verifyMasterKeys(db, config.MASTER_KEYS);
  const signApproval = await createSignApproval(config.APPROVAL_PRIVATE_KEY);
  const workflows = createWorkflowClient(temporalConnection(config));
  const eventFeed = openSessionEventFeed(config.DATABASE_URL);
  const patterns = createPatternChecker();
  const streamLimit = createStreamLimit(config);
  const streamReads = createStreamReads(db);
  const streams = { eventFeed, streamLimit, streamReads };
  const remoteServers = remoteServersWith(config.PRIVATE_MCP_HOSTS);
  const embeddingServers = embeddingServersWith(config.PRIVATE_EMBEDDING_HOSTS);
  const servers = { remoteServers, embeddingServers };
  const dependencies = { db, toolDb, patterns, ...servers, config, log, workflows, signApproval, ...streams };
  const web = loadWebFiles(webDirectory);
  if (web === null) {
    log.warn({ directory: webDirectory }, 'the web UI is not built; only the API is served');
  }
  const app = createApp(dependencies, allRoutes(dependencies), web);
  const server = await listen(app, { host: config.HOST, port: config.PORT }, upgradePreviews(config));
  log.info({ host: config.HOST, port: server.port }, 'the API listens');
  const stopRenewing = await keepRenewing({ db, config, log, workflows });
  await stopped;
  await stopRenewing();
  await server.close(closeLimitMs);
  await eventFeed.close();
  await patterns.close();
  await workflows.close();
  await toolDb.destroy();
  await db.destroy();
}

/** At the identity provider whose groups give roles; without rules nothing of it is kept. */
async function keepRenewing(dependencies: Omit<RenewalDependencies, 'provider'> & { config: ApiConfig }) {
  const { db, config, log } = dependencies;
  const provider = config.OIDC_GROUP_RULES.length === 0 ? null : createOidcProvider(config);
  await removeOtherRenewals(db, provider?.client ?? null);
  const workspaces = provider === null ? await countMadeByRules(db) : [];
  if (workspaces.length > 0) {
    log.warn({ workspaces }, 'without rules for groups the members whom rules made stay');
  }
  const ended = { 'remove ended renewals': () => removeEndedRenewals(db, signInSeconds) };
  if (provider === null) {
    return keepSweeping(ended, { intervalMs: renewEveryMs, log });
  }
  const parts: SweepWork = {
    ...ended,
    'renew sign-ins': (_run, stopping) => renewDueSignIns({ ...dependencies, provider, stopping }),
    // Once a minute: who is held back is in the log each time.
    'end who was refused for long': async (run, stopping) =>
      run % 6 === 0 ? endLongRefused({ ...dependencies, provider, stopping }) : undefined,
  };
  return keepSweeping(parts, { intervalMs: renewEveryMs, log });
}

function reasonOf(error: unknown, config: ApiConfig | undefined): unknown {
  const isTaken =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken && config !== undefined
    ? new ConfigurationError(`Port ${config.PORT} of ${config.HOST} is taken. Set PORT to another one.`)
    : error;
}

let config: ApiConfig | undefined;
try {
  const environment = readEnvironment();
  reportUnread('api', environment);
  config = parseEnvironment(apiConfig, environment);
  await main(config, pino({ level: config.LOG_LEVEL, base: { process: 'api' } }));
} catch (error) {
  reportFailure('api', reasonOf(error, config));
  process.exit(1);
}
