/** Paths inside the agent's container (docs/sidecar.md#sockets). */
export const agentPaths = {
  mcpDirectory: '/run/platform/mcp',
  sidecarSocket: '/run/platform/agent/sidecar.sock',
  config: '/run/platform/agent/config.json',
  /** Where a language model answers `POST /v1/messages`, of an agent with model access. */
  modelSocket: '/run/platform/agent/model.sock',
  /** One socket `<name>.sock` for each sibling that listens on a port. */
  siblingDirectory: '/run/platform/siblings',
  /** Of a service preview, in place of the others. */
  serviceSocket: '/run/platform/agent/service.sock',
} as const;
