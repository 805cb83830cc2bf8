/**
 * The platform's API as far as sidecars use it: the application itself, with the routes of
 * sidecars. Prints its port.
 */
import pino from 'pino';
import { createApp } from '../../api/app.ts';
import { embeddingServersWith } from '../../api/embedding-provider/provider-url.ts';
import { createStreamLimit } from '../../api/event-stream/stream-limit.ts';
import { createStreamReads } from '../../api/event-stream/stream-reads.ts';
import { internalRoutes } from '../../api/internal/routes.ts';
import { listen } from '../../api/server.ts';
import { remoteServersWith } from '../../lib/oauth/requests.ts';
import { createPatternChecker } from '../../lib/patterns/pattern-checker.ts';
import { openDatabase } from '../../store/database.ts';
import { openSessionEventFeed } from '../../store/session-events/feed.ts';
import { configOf } from './config.ts';

const [databaseUrl = '', seed = ''] = process.argv.slice(2);
const config = configOf(databaseUrl, seed);
const db = openDatabase(databaseUrl, { poolSize: config.DATABASE_POOL, statementTimeoutMs: 15_000 });
// As in operation: a line for each request.
const log = pino({ level: 'info' }, pino.destination('/dev/null'));
const unused = () => Promise.reject(new Error('the bench runs no workflows'));
const routes = internalRoutes({
  db,
  toolDb: db,
  config,
  log,
  patterns: createPatternChecker(),
  streamLimit: createStreamLimit(config),
  streamReads: createStreamReads(db),
  eventFeed: openSessionEventFeed(databaseUrl),
  signApproval: unused,
  remoteServers: remoteServersWith(new Map()),
  embeddingServers: embeddingServersWith(new Map()),
  workflows: {
    signalSession: () => Promise.resolve(true),
    startSession: unused,
    startPermissionRequest: unused,
    startGrant: unused,
    startCheck: unused,
    close: () => Promise.resolve(),
  } as never,
});
const { port } = await listen(createApp({ db, config, log }, routes), { host: '127.0.0.1', port: 0 });
console.log(port);
process.stdin.once('end', () => process.exit()).resume();
