/** Paths inside the agent's container (docs/sidecar.md#sockets). */
export const agentPaths = {
  mcpDirectory: '/run/platform/mcp',
  sidecarSocket: '/run/platform/agent/sidecar.sock',
  config: '/run/platform/agent/config.json',
} as const;
