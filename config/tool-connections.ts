/** How the API's connections to the database are shared between tools of agents and everything else, and among workspaces. */

/** Tools have connections of their own: what they ask for keeps no check of a call waiting. */
export const toolConnections = (poolSize: number): number => Math.ceil(poolSize / 4);

/** Calls of tools of one workspace that run at a time: fewer than there are connections for them, where there is more than one. */
export function workspaceToolCalls(settings: {
  DATABASE_POOL: number;
  LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS: number;
}): number {
  const others = toolConnections(settings.DATABASE_POOL) - 1;
  return Math.max(1, Math.min(settings.LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS, others));
}
