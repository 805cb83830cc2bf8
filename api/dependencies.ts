/** What the API is made of; `bin/api.ts` puts it together, routes take the part that they need. */
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/api.ts';
import type { PatternChecker } from '../patterns/pattern-checker.ts';
import type { Db } from '../store/database.ts';
import type { WorkflowClient } from './workflow-client.ts';

export interface ApiDependencies {
  db: Db;
  /** Runs the expressions of manifests, beside this process's event loop. */
  patterns: PatternChecker;
  config: ApiConfig;
  log: Logger;
  workflows: WorkflowClient;
}
