import type { SidecarBoot } from '../contract/sidecar.ts';

export interface SidecarLimitSettings {
  LIMIT_LINE_BYTES: number;
  LIMIT_ARTIFACT_BYTES: number;
  SERVER_HANDSHAKE_SECONDS: number;
}

/** What the sidecar of every runtime is held to: the limits that an operator sets, and those that are the same everywhere. */
export const sidecarLimits = (limits: SidecarLimitSettings): SidecarBoot['limits'] => ({
  line_bytes: limits.LIMIT_LINE_BYTES,
  inline_artifact_bytes: 512 * 1024,
  artifact_bytes: limits.LIMIT_ARTIFACT_BYTES,
  request_input_wait_seconds: 300,
  server_connect_timeout_ms: 10_000,
  server_handshake_timeout_ms: limits.SERVER_HANDSHAKE_SECONDS * 1000,
  call_timeout_ms: 0,
});
