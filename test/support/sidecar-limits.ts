import type { SidecarBoot } from '../../contract/sidecar.ts';

/** Limits of a sidecar that a test does not come near. */
export const roomySidecarLimits: SidecarBoot['limits'] = {
  line_bytes: 1024 * 1024,
  answer_bytes: 10_000_000,
  inline_artifact_bytes: 512 * 1024,
  artifact_bytes: 1024 * 1024,
  request_input_wait_seconds: 300,
  server_connect_timeout_ms: 10_000,
  server_handshake_timeout_ms: 30_000,
  call_timeout_ms: 0,
  calls_per_minute: 10_000_000,
  calls_per_session: 100_000_000,
  events_per_minute: 10_000_000,
  permission_requests_per_minute: 10_000_000,
  artifacts_per_minute: 10_000_000,
  platform_tool_calls_per_minute: 10_000_000,
  sent_bytes_per_minute: 100_000_000_000,
  concurrent_requests: 64,
  concurrent_uploads: 32,
  concurrent_waits: 1000,
};
