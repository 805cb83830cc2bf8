/**
 * No agent can have an MCP server of this name. Apart from the server itself, which is loaded when
 * an agent connects to it.
 */
export const platformServerName = 'platform';
