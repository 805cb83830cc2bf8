import * as z from 'zod';
import { permissionRequestInput } from '../../contract/permission-request.ts';
import { sendPermissionRequest } from './permission-request.ts';
import { defineTool } from './tool.ts';
import { reserveWait } from './wait-for-human.ts';

const defaultWaitSeconds = 60;

export const requestPermission = defineTool({
  name: 'request_permission',
  title: 'Ask for a permission and wait',
  description:
    'As request_grant, but waits up to `wait_seconds` (60 unless said, at most 300) for the decision. `pending` means that nobody decided yet; the decision then arrives as a message.',
  input: permissionRequestInput.extend({ wait_seconds: z.int().min(0).max(300).optional() }),
  output: z.strictObject({
    request_id: z.string(),
    status: z.enum(['approved', 'denied', 'expired', 'cancelled', 'pending']),
    grant_id: z.string().optional(),
  }),
  async run({ wait_seconds = defaultWaitSeconds, ...input }, dependencies, signal) {
    const wait = await reserveWait(dependencies, wait_seconds);
    try {
      const { requestId } = await sendPermissionRequest(input, dependencies);
      const message = await wait.messageThat(({ decision }) => decision?.request_id === requestId, signal);
      // The decision may be stored while its message is still in transit.
      const { status, grant_id } =
        message?.decision ?? (await dependencies.api.readPermissionRequest(requestId));
      return {
        request_id: requestId,
        status: status === 'open' ? ('pending' as const) : status,
        ...(grant_id === null ? {} : { grant_id }),
      };
    } finally {
      wait.end();
    }
  },
});
