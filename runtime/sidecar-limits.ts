import type { SidecarBoot } from '../contract/sidecar.ts';

/** The limits of the configuration that a sidecar enforces. */
export interface SidecarLimitSettings {
  LIMIT_LINE_BYTES: number;
  LIMIT_ARTIFACT_BYTES: number;
  SERVER_HANDSHAKE_SECONDS: number;
  LIMIT_SESSION_CALLS: number;
  LIMIT_SESSION_CONCURRENT_REQUESTS: number;
  LIMIT_SESSION_CONCURRENT_UPLOADS: number;
  RATE_SESSION_CALLS_PER_MINUTE: number;
  RATE_SESSION_EVENTS_PER_MINUTE: number;
  RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE: number;
  RATE_SESSION_ARTIFACTS_PER_MINUTE: number;
  RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE: number;
  RATE_SESSION_BYTES_PER_MINUTE: number;
}

/** Limits of the sidecar on every runtime. */
export const sidecarLimits = (limits: SidecarLimitSettings): SidecarBoot['limits'] => ({
  line_bytes: limits.LIMIT_LINE_BYTES,
  // Clients of the official SDKs take a little more.
  answer_bytes: 10_000_000,
  inline_artifact_bytes: 512 * 1024,
  artifact_bytes: limits.LIMIT_ARTIFACT_BYTES,
  request_input_wait_seconds: 300,
  server_connect_timeout_ms: 10_000,
  server_handshake_timeout_ms: limits.SERVER_HANDSHAKE_SECONDS * 1000,
  // From a tool call, or the progress that its server last reported of it, until its answer.
  call_timeout_ms: 3_600_000,
  calls_per_minute: limits.RATE_SESSION_CALLS_PER_MINUTE,
  calls_per_session: limits.LIMIT_SESSION_CALLS,
  events_per_minute: limits.RATE_SESSION_EVENTS_PER_MINUTE,
  permission_requests_per_minute: limits.RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE,
  artifacts_per_minute: limits.RATE_SESSION_ARTIFACTS_PER_MINUTE,
  platform_tool_calls_per_minute: limits.RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE,
  sent_bytes_per_minute: halfOf(limits.RATE_SESSION_BYTES_PER_MINUTE),
  concurrent_requests: halfOf(limits.LIMIT_SESSION_CONCURRENT_REQUESTS),
  concurrent_uploads: limits.LIMIT_SESSION_CONCURRENT_UPLOADS,
  // Calls that wait for a human.
  concurrent_waits: 16,
});

/** The other half is reserved for the sidecar's own reports. */
const halfOf = (limit: number) => Math.max(1, Math.floor(limit / 2));
