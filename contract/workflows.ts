/** Workflow ids and task queues: built here only, never as literals where they are used (design 6). */
export const taskQueue = 'platform-v1';

/**
 * The queues of a platform, by the name of the one for sessions. Each has workers of its own, so that what fills one delays nothing
 * in another: watches last as long as their sessions, and a human waits for a decision.
 */
export const taskQueues = (sessions: string) => ({
  /** Sessions: their workflows and the short steps of them. */
  sessions,
  /** One activity for each running session. */
  watches: `${sessions}-watches`,
  /** Permission requests and grants, and the activity that writes grants. */
  decisions: `${sessions}-decisions`,
});

export const sessionWorkflowId = (sessionId: string) => `session/${sessionId}`;
export const permissionRequestWorkflowId = (requestId: string) => `permission-request/${requestId}`;
export const grantWorkflowId = (grantId: string) => `grant/${grantId}`;
export const mcpCheckWorkflowId = (checkId: string) => `mcp-check/${checkId}`;
/** One line for whoever looks at Temporal. */
export const checkSummary = 'Check of a catalog entry';

/** Search attributes that the Temporal namespace must know, with their types. */
export const searchAttributes = {
  PlatformWorkspace: 'Keyword',
  PlatformSession: 'Keyword',
  PlatformStatus: 'Keyword',
} as const;
