import * as z from 'zod';
import { permissionRequestInput } from '../../contract/permission-request.ts';
import { adds } from '../../contract/platform-tools.ts';
import { sendPermissionRequest } from './permission-request.ts';
import { defineTool } from './tool.ts';

export const requestGrant = defineTool({
  name: 'request_grant',
  title: 'Ask for a permission',
  annotations: adds,
  description:
    'Asks a human for a grant, for example {"grant_type":"tool_scope","details":{"scope":"files.write"},"scope":"once"}. Returns at once; the decision arrives as a message.',
  input: permissionRequestInput,
  output: z.strictObject({ request_id: z.string(), status: z.literal('sent') }),
  async run(input, dependencies) {
    const { requestId } = await sendPermissionRequest(input, dependencies);
    return { request_id: requestId, status: 'sent' as const };
  },
});
