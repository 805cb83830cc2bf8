/** How much of the shared resources one user or one workspace may use, with defaults. Each refusal names the limit. */
import { count } from './parse.ts';

export const quotaFields = {
  /** Sessions that have not ended, of all workspaces: those that a user drives, and what they started. */
  LIMIT_RUNNING_SESSIONS_PER_USER: count(50),
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: count(200),
  RATE_SESSIONS_PER_HOUR_PER_USER: count(200),
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: count(1000),
  RATE_WORKSPACES_PER_HOUR_PER_USER: count(20),
  LIMIT_AGENTS_PER_WORKSPACE: count(1000),
  /** Entries of the catalog. */
  LIMIT_MCP_SERVERS_PER_WORKSPACE: count(500),
  /** Checks of catalog entries that have not ended. */
  LIMIT_RUNNING_CHECKS_PER_USER: count(3),
  LIMIT_RUNNING_CHECKS_PER_WORKSPACE: count(10),
  RATE_CHECKS_PER_MINUTE_PER_USER: count(20),
  /** Event streams open at the same time in one API process. */
  LIMIT_EVENT_STREAMS_PER_USER: count(40),
  LIMIT_EVENT_STREAMS_PER_PROCESS: count(2000),
} as const;
