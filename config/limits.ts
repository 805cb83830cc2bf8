/** Limits of design 13 with their defaults. Each refusal names the limit. */
import { count } from './parse.ts';
import { quotaFields } from './quotas.ts';

export const limitFields = {
  LIMIT_BODY_BYTES: count(1024 * 1024),
  LIMIT_ATTACHMENTS_PER_AGENT: count(32),
  LIMIT_LINE_BYTES: count(1024 * 1024),
  LIMIT_ARTIFACT_BYTES: count(10 * 1024 * 1024),
  LIMIT_SESSION_ARTIFACT_BYTES: count(100 * 1024 * 1024),
  LIMIT_SESSION_EVENT_BYTES: count(64 * 1024 * 1024),
  LIMIT_OPEN_REQUESTS: count(10),
  REQUEST_EXPIRY_SECONDS: count(24 * 3600),
  DENIAL_MUTE_SECONDS: count(600),
  SESSION_TOTAL_SECONDS: count(24 * 3600),
  SESSION_IDLE_SECONDS: count(3600),
  SESSION_START_SECONDS: count(60),
  /** From the first request to an MCP server until its first answer. */
  SERVER_HANDSHAKE_SECONDS: count(30),
  /** What processes of sessions wrote to stderr is erased after so long. */
  PROCESS_OUTPUT_KEPT_SECONDS: count(7 * 24 * 3600),
  RATE_USER_PER_MINUTE: count(600),
  /** Requests of the sign-in from one address, two for each person. */
  RATE_SIGN_IN_PER_MINUTE: count(1200),
  RATE_SIGN_IN_FAILURES_PER_MINUTE: count(20),
  RATE_SESSION_EVENTS_PER_MINUTE: count(600),
  RATE_ADD_MEMBER_PER_MINUTE: count(20),
  ...quotaFields,
} as const;
