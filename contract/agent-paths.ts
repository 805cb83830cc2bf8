/** Paths inside the agent's container (docs/sidecar.md#sockets). */
export const agentPaths = {
  mcpDirectory: '/run/platform/mcp',
  sidecarSocket: '/run/platform/agent/sidecar.sock',
  config: '/run/platform/agent/config.json',
  /** Of a service preview, in place of the others. */
  serviceSocket: '/run/platform/agent/service.sock',
} as const;
