/**
 * Limits that an operator sets, with their defaults. Those of which nobody needs another value
 * are in `fixed-limits.ts`.
 */
import { count, countOrNone } from './parse.ts';

export const limitFields = {
  SESSION_TOTAL_SECONDS: count(24 * 3600).describe('longest life of a session, unless its agent has another'),
  SESSION_IDLE_SECONDS: count(3600).describe(
    'a session ends after so long without activity, unless its agent has another',
  ),
  SESSION_START_SECONDS: count(60).describe(
    'from the start of a workload until its sidecar reports that it is ready',
  ),
  SERVER_HANDSHAKE_SECONDS: count(30).describe(
    'from the first request to an MCP server until its first answer',
  ),
  CHECK_SECONDS: count(120).describe("from the start of a check's sandbox to its end"),
  REQUEST_EXPIRY_SECONDS: count(24 * 3600).describe('time until an open permission request expires'),
  LIMIT_PERSISTENT_GRANT_SECONDS: countOrNone(0).describe(
    'longest time of a `persistent` grant, also where nobody names one; 0: until it is revoked',
  ),
  SCHEDULE_SHORTEST_SECONDS: count(60).describe('shortest time between two runs of a schedule'),
  TOOL_CALL_RETENTION_FLOOR_DAYS: count(30).describe(
    'minimum retention of tool call records of every workspace',
  ),
  PROCESS_OUTPUT_KEPT_SECONDS: count(7 * 24 * 3600).describe(
    'retention of what processes of sessions wrote to stderr',
  ),
  LIMIT_RUNNING_SESSIONS_PER_USER: count(50).describe(
    'sessions of a user that have not ended, in all workspaces, with what they started',
  ),
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: count(200).describe('sessions of a workspace that have not ended'),
  RATE_SESSIONS_PER_HOUR_PER_USER: count(200).describe('sessions that a user starts'),
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: count(1000).describe('sessions that are started in a workspace'),
  LIMIT_RUNNING_CHILDREN_PER_SESSION: count(10).describe('children of one session that have not ended'),
  LIMIT_SERVICES_PER_WORKSPACE: count(20).describe('services of previews that are not stopped'),
  LIMIT_PREVIEW_BYTES: count(1024 * 1024).describe('all files of one preview together, and so each'),
  LIMIT_SESSION_ARTIFACT_BYTES: count(100 * 1024 * 1024).describe('artifacts of a session'),
  LIMIT_SESSION_CALLS: count(50_000).describe(
    'calls of a session that are recorded one by one; more are refused, and counted',
  ),
  RATE_SESSION_CALLS_PER_MINUTE: count(600).describe(
    "calls of a session's agent; above 600 its other rates grow with it",
  ),
  RATE_SESSION_MESSAGES_PER_MINUTE: count(20).describe(
    "what a session's agent posts to people, to its conversation and to channels",
  ),
  RATE_USER_PER_MINUTE: count(600).describe('requests of a user'),
  LIMIT_USER_CONCURRENT_REQUESTS: count(4).describe(
    'requests of a user that an API process works on at a time',
  ),
  RATE_SIGN_IN_PER_MINUTE: count(1200).describe(
    'requests of the sign-in from one address, two for each person',
  ),
  LIMIT_EVENT_STREAMS_PER_PROCESS: count(2000).describe('event streams that are open in an API process'),
} as const;
