import * as z from 'zod';
import { permissionRequestInput } from '../../contract/permission-request.ts';
import { adds } from '../../contract/platform-tools.ts';
import { whilePending } from './next-steps.ts';
import { sendPermissionRequest } from './permission-request.ts';
import { defineTool } from './tool.ts';

export const requestGrant = defineTool({
  name: 'request_grant',
  title: 'Ask for a permission',
  annotations: adds,
  description:
    'As request_permission, but returns at once: use it when you have other work to do meanwhile. Ask once; the decision arrives as a message.',
  input: permissionRequestInput,
  output: z.strictObject({ request_id: z.string(), status: z.literal('sent'), next_step: z.string() }),
  async run(input, dependencies) {
    const { requestId } = await sendPermissionRequest(input, dependencies);
    return { request_id: requestId, status: 'sent' as const, next_step: whilePending };
  },
});
