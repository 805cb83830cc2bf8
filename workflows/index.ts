/** Every workflow type, by the name it is started with. */
export { grantWorkflow } from './grant-workflow.ts';
export { mcpCheckWorkflow } from './mcp-check-workflow.ts';
export { permissionRequestWorkflow } from './permission-request-workflow.ts';
export { sessionWorkflow } from './session-workflow.ts';
