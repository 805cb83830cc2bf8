/**
 * How the API's connections to the database are shared between tools of agents and everything
 * else, and among workspaces.
 */

/** Tools have connections of their own: what they ask for keeps no check of a call waiting. */
export const toolConnections = (poolSize: number): number => Math.ceil(poolSize / 4);

/**
 * Connections for tools that the calls of one workspace hold at a time, those that wait for a child session
 * included: fewer than there are, where there is more than one.
 */
export const workspaceToolConnections = ({ DATABASE_POOL }: { DATABASE_POOL: number }): number =>
  Math.max(1, toolConnections(DATABASE_POOL) - 1);

/** Calls of tools of one workspace that run at a time: no more than it has connections for them. */
export function workspaceToolCalls(settings: {
  DATABASE_POOL: number;
  LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS: number;
}): number {
  return Math.min(settings.LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS, workspaceToolConnections(settings));
}

/**
 * Connections, of those that are not for tools, that the people and sessions of one workspace hold at a time;
 * others for what ends or refuses something there, which waits for nothing else. Together they are fewer than
 * there are, where there are more than three.
 */
export function workspaceConnections({ DATABASE_POOL }: { DATABASE_POOL: number }): {
  usual: number;
  stopping: number;
} {
  const all = DATABASE_POOL - toolConnections(DATABASE_POOL);
  return { usual: Math.max(1, Math.floor((2 * all) / 3)), stopping: Math.max(1, Math.floor(all / 4)) };
}
