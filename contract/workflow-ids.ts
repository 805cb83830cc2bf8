/** Workflow ids and task queue: built here only, never as literals where they are used (design 6). */
export const taskQueue = 'platform-v1';

export const sessionWorkflowId = (sessionId: string) => `session/${sessionId}`;
export const permissionRequestWorkflowId = (requestId: string) => `permission-request/${requestId}`;
export const grantWorkflowId = (grantId: string) => `grant/${grantId}`;

/** Search attributes that the Temporal namespace must know, with their types. */
export const searchAttributes = {
  PlatformWorkspace: 'Keyword',
  PlatformSession: 'Keyword',
  PlatformStatus: 'Keyword',
} as const;
