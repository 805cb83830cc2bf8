/** Every workflow type, by the name it is started with. */
export { authorizationWorkflow } from './authorization-workflow.ts';
export { channelMessageWorkflow } from './channel-message-workflow.ts';
export { grantWorkflow } from './grant-workflow.ts';
export { mcpCheckWorkflow } from './mcp-check-workflow.ts';
export { mcpRegistrationWorkflow } from './mcp-registration-workflow.ts';
export { permissionRequestWorkflow } from './permission-request-workflow.ts';
export { scheduledRunWorkflow } from './scheduled-run-workflow.ts';
export { servicePreviewWorkflow } from './service-preview-workflow.ts';
export { sessionWorkflow } from './session-workflow.ts';
