/** The dependencies of the API; `bin/api.ts` assembles them, routes take the ones that they need. */
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/api.ts';
import type { PatternChecker } from '../lib/patterns/pattern-checker.ts';
import type { Db } from '../store/database.ts';
import type { WorkflowClient } from './workflow-client.ts';

export interface ApiDependencies {
  db: Db;
  /** Runs the regular expressions of manifests outside this process's event loop. */
  patterns: PatternChecker;
  config: ApiConfig;
  log: Logger;
  workflows: WorkflowClient;
}
