/** Limits with their defaults. Each refusal names the limit. */
import { count, countOrNone } from './parse.ts';
import { quotaFields } from './quotas.ts';

export const limitFields = {
  LIMIT_BODY_BYTES: count(1024 * 1024),
  /** Until the whole body of a request has arrived. */
  LIMIT_BODY_SECONDS: count(30),
  LIMIT_ATTACHMENTS_PER_AGENT: count(32),
  /** Of a message of an agent to an MCP server. */
  LIMIT_LINE_BYTES: count(1024 * 1024),
  /** Of a message of an MCP server; clients of the official SDKs take a little more. */
  LIMIT_ANSWER_BYTES: count(10_000_000),
  LIMIT_ARTIFACT_BYTES: count(10 * 1024 * 1024),
  LIMIT_SESSION_ARTIFACT_BYTES: count(100 * 1024 * 1024),
  /** Bytes of artifacts that one API process holds in memory while they arrive, of all sessions together. */
  LIMIT_UPLOAD_BUFFER_BYTES: count(16 * 1024 * 1024),
  LIMIT_SESSION_EVENT_BYTES: count(64 * 1024 * 1024),
  /** Text of undelivered messages to a session; each counts as 1 KiB at least. */
  LIMIT_UNDELIVERED_MESSAGE_BYTES: count(16 * 1024 * 1024),
  /** Calls of a session that are recorded one by one; more are refused, and counted. The API takes up to twice as many. */
  LIMIT_SESSION_CALLS: count(50_000),
  /** Concurrent requests of one session's sidecar. A sidecar limits itself to half of it. */
  LIMIT_SESSION_CONCURRENT_REQUESTS: count(16),
  /** Concurrent artifact uploads of one session. */
  LIMIT_SESSION_CONCURRENT_UPLOADS: count(4),
  /** Tool calls of one session that wait for a human at the same time. */
  LIMIT_SESSION_CONCURRENT_WAITS: count(16),
  /** Calls of tools that one API process runs concurrently for all sessions of a workspace, fewer than there are connections for tools (`tool-connections.ts`). */
  LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS: count(3),
  /** Open permission requests of a session and all sessions below its root. */
  LIMIT_OPEN_REQUESTS: count(10),
  /** Minimum retention of tool call records of every workspace. */
  TOOL_CALL_RETENTION_FLOOR_DAYS: count(30),
  /** How long a closed workspace can be reopened. */
  WORKSPACE_REOPENABLE_DAYS: count(30),
  REQUEST_EXPIRY_SECONDS: count(24 * 3600),
  /** The longest time that a `persistent` grant is given, also where nobody names one; 0: until somebody revokes it. */
  LIMIT_PERSISTENT_GRANT_SECONDS: countOrNone(0),
  DENIAL_MUTE_SECONDS: count(600),
  /** Retention of the arguments of a refused call after its permission request was closed. */
  REFUSED_CALL_KEPT_SECONDS: count(24 * 3600),
  SESSION_TOTAL_SECONDS: count(24 * 3600),
  SESSION_IDLE_SECONDS: count(3600),
  SESSION_START_SECONDS: count(60),
  /** For an operator to sign in to a remote server; a launch that waits for it fails then. */
  SESSION_AUTHORIZATION_SECONDS: count(1800),
  /** From the first request to an MCP server until its first answer. */
  SERVER_HANDSHAKE_SECONDS: count(30),
  /** From a tool call, or the progress that its server last reported of it, until its answer. */
  SERVER_CALL_SECONDS: countOrNone(3600),
  /** Retention of what processes of sessions wrote to stderr. */
  PROCESS_OUTPUT_KEPT_SECONDS: count(7 * 24 * 3600),
  /** From the start of a check's sandbox to its end. */
  CHECK_SECONDS: count(120),
  /** Retention of a check and its result after it ended. */
  CHECK_KEPT_SECONDS: count(24 * 3600),
  /** Retention of what is known of a message to a channel after it was delivered or failed. */
  CHANNEL_MESSAGES_KEPT_SECONDS: count(30 * 24 * 3600),
  /** Retention of the outcome of a time of a schedule. */
  SCHEDULE_RUNS_KEPT_SECONDS: count(30 * 24 * 3600),
  /** The shortest time between two runs of a schedule. */
  SCHEDULE_SHORTEST_SECONDS: count(60),
  RATE_USER_PER_MINUTE: count(600),
  /** Concurrent requests of one user in an API process, so that no user takes all connections to the database. */
  LIMIT_USER_CONCURRENT_REQUESTS: count(4),
  /** Queued requests of one user, such as those of a browser with twenty tabs. */
  LIMIT_USER_WAITING_REQUESTS: count(100),
  /** Requests of the sign-in from one address, two for each person. */
  RATE_SIGN_IN_PER_MINUTE: count(1200),
  RATE_SIGN_IN_FAILURES_PER_MINUTE: count(20),
  RATE_SESSION_EVENTS_PER_MINUTE: count(600),
  /** Calls of a session's agent; beyond this its sidecar throttles reading. */
  RATE_SESSION_CALLS_PER_MINUTE: count(600),
  /** Calls of tools that the API runs; a sidecar throttles them, and the API takes twice as many. */
  RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE: count(300),
  RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE: count(120),
  /** What a session's agent posts to people, to its conversation and to channels. */
  RATE_SESSION_MESSAGES_PER_MINUTE: count(20),
  /** Artifacts that a session's agent uploads, sequentially or concurrently. */
  RATE_SESSION_ARTIFACTS_PER_MINUTE: count(300),
  /** All requests of one session's sidecar to the API. */
  RATE_SESSION_REQUESTS_PER_MINUTE: count(6000),
  /** A sidecar limits what its agent makes it send to half of it. */
  RATE_SESSION_BYTES_PER_MINUTE: count(128 * 1024 * 1024),
  RATE_ADD_MEMBER_PER_MINUTE: count(20),
  ...quotaFields,
} as const;
