/** The dependencies of the API; `bin/api.ts` assembles them, routes take the ones that they need. */
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/api.ts';
import type { RemoteServers } from '../lib/oauth/requests.ts';
import type { PatternChecker } from '../lib/patterns/pattern-checker.ts';
import type { Db } from '../store/database.ts';
import type { EmbeddingServers } from './embedding-provider/ask-provider.ts';
import type { WorkflowClient } from './workflow-client.ts';

export interface ApiDependencies {
  db: Db;
  /** For the tools of agents (`platform-tools/`). */
  toolDb: Db;
  /** Runs the regular expressions of manifests outside this process's event loop. */
  patterns: PatternChecker;
  /** How requests to authorization servers of remote servers are made. */
  remoteServers: RemoteServers;
  /** How requests to embedding providers are made. */
  embeddingServers: EmbeddingServers;
  config: ApiConfig;
  log: Logger;
  workflows: WorkflowClient;
}
