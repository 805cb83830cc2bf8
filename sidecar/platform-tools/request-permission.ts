import * as z from 'zod';
import {
  type PermissionDecision,
  type PermissionRequestInput,
  permissionRequestInput,
} from '../../contract/permission-request.ts';
import { adds } from '../../contract/platform-tools.ts';
import { afterDecision, whilePending } from './next-steps.ts';
import { sendPermissionRequest } from './permission-request.ts';
import { defineTool } from './tool.ts';
import { reserveWait } from './wait-for-human.ts';

const defaultWaitSeconds = 60;

export const requestPermission = defineTool({
  name: 'request_permission',
  title: 'Ask for a permission and wait',
  annotations: adds,
  description:
    'Asks a person for a permission, when a call was refused with permission_required: only a person can give one. For a refused tool the input is {"grant_type":"tool_scope","details":{"scope":"files.write"},"scope":"once","justification":"to save the report","wait_seconds":300}, with the scope that the refusal names; to start a session of another agent it is {"grant_type":"spawn","details":{"child_agent_id":"its id"},"scope":"session","justification":"to share the work","wait_seconds":300}. Waits up to `wait_seconds` (60 unless said, at most 300) for the decision; do what `next_step` of the answer says. With `exact_call` only the refused call was approved, with the same arguments. `pending`: nobody decided yet; do not ask again, the decision arrives as a message.',
  input: permissionRequestInput.extend({ wait_seconds: z.int().min(0).max(300).optional() }),
  output: z.strictObject({
    request_id: z.string(),
    status: z.enum(['approved', 'denied', 'expired', 'cancelled', 'pending']),
    grant_id: z.string().optional(),
    exact_call: z.literal(true).optional(),
    next_step: z.string(),
  }),
  async run({ wait_seconds = defaultWaitSeconds, ...input }, dependencies, signal) {
    const wait = await reserveWait(dependencies, wait_seconds);
    try {
      const { requestId } = await sendPermissionRequest(input, dependencies);
      const message = await wait.messageThat(({ decision }) => decision?.request_id === requestId, signal);
      const known = message?.decision ?? null;
      // The decision may be stored while its message is still in transit; and no message says in a field
      // how far an approval goes.
      const isWhole = known !== null && known.status !== 'approved';
      const decided = isWhole ? known : await dependencies.api.readPermissionRequest(requestId);
      return { request_id: requestId, ...shownDecision(decided, input) };
    } finally {
      wait.end();
    }
  },
});

interface Decided {
  status: 'open' | PermissionDecision['status'];
  grant_id: string | null;
  exact_call?: true | undefined;
}

function shownDecision(
  { status, grant_id, exact_call }: Decided,
  { grant_type, details }: PermissionRequestInput,
) {
  const isOpen = status === 'open';
  const childAgentId = grant_type === 'spawn' ? String(details['child_agent_id']) : null;
  return {
    status: isOpen ? ('pending' as const) : status,
    ...(grant_id === null ? {} : { grant_id }),
    ...(exact_call === undefined ? {} : { exact_call }),
    next_step: isOpen
      ? whilePending
      : afterDecision(status, { exactCall: exact_call === true, childAgentId }),
  };
}
