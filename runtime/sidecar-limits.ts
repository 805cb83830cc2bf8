import type { SidecarBoot } from '../contract/sidecar.ts';

/** The operator's settings that a sidecar enforces. */
export interface SidecarLimitSettings {
  LIMIT_LINE_BYTES: number;
  LIMIT_ANSWER_BYTES: number;
  LIMIT_ARTIFACT_BYTES: number;
  SERVER_HANDSHAKE_SECONDS: number;
  SERVER_CALL_SECONDS: number;
  LIMIT_SESSION_CALLS: number;
  LIMIT_SESSION_CONCURRENT_REQUESTS: number;
  LIMIT_SESSION_CONCURRENT_UPLOADS: number;
  LIMIT_SESSION_CONCURRENT_WAITS: number;
  RATE_SESSION_CALLS_PER_MINUTE: number;
  RATE_SESSION_EVENTS_PER_MINUTE: number;
  RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE: number;
  RATE_SESSION_ARTIFACTS_PER_MINUTE: number;
  RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE: number;
  RATE_SESSION_BYTES_PER_MINUTE: number;
}

/** Limits of the sidecar on every runtime: those that an operator sets, and fixed ones. */
export const sidecarLimits = (limits: SidecarLimitSettings): SidecarBoot['limits'] => ({
  line_bytes: limits.LIMIT_LINE_BYTES,
  answer_bytes: limits.LIMIT_ANSWER_BYTES,
  inline_artifact_bytes: 512 * 1024,
  artifact_bytes: limits.LIMIT_ARTIFACT_BYTES,
  request_input_wait_seconds: 300,
  server_connect_timeout_ms: 10_000,
  server_handshake_timeout_ms: limits.SERVER_HANDSHAKE_SECONDS * 1000,
  call_timeout_ms: Math.min(limits.SERVER_CALL_SECONDS * 1000, longestTimerMs),
  calls_per_minute: limits.RATE_SESSION_CALLS_PER_MINUTE,
  calls_per_session: limits.LIMIT_SESSION_CALLS,
  events_per_minute: limits.RATE_SESSION_EVENTS_PER_MINUTE,
  permission_requests_per_minute: limits.RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE,
  artifacts_per_minute: limits.RATE_SESSION_ARTIFACTS_PER_MINUTE,
  platform_tool_calls_per_minute: limits.RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE,
  sent_bytes_per_minute: halfOf(limits.RATE_SESSION_BYTES_PER_MINUTE),
  concurrent_requests: halfOf(limits.LIMIT_SESSION_CONCURRENT_REQUESTS),
  concurrent_uploads: limits.LIMIT_SESSION_CONCURRENT_UPLOADS,
  concurrent_waits: limits.LIMIT_SESSION_CONCURRENT_WAITS,
});

/** A timer of Node takes no more. */
const longestTimerMs = 2 ** 31 - 1;
/** The other half is reserved for the sidecar's own reports. */
const halfOf = (limit: number) => Math.max(1, Math.floor(limit / 2));
