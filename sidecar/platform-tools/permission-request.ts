/**
 * Asking for a grant: the tools `request_grant`, `request_permission` and the event
 * `agent.permission_request`.
 */
import { randomUUID } from 'node:crypto';
import { detailsByGrantType } from '../../contract/grant.ts';
import type { PermissionRequestInput } from '../../contract/permission-request.ts';
import { type ToolDependencies, ToolFailure } from './tool.ts';

/**
 * Sends the request, with the call of its scope that was refused last, and returns its id; an identical open
 * request for the same call has the same one. It grants nothing: only a human does.
 * Throws ToolFailure when the details are invalid for the type, or when the platform rejects the request.
 */
export async function sendPermissionRequest(
  input: PermissionRequestInput,
  { api, lastRefusals }: Pick<ToolDependencies, 'api' | 'lastRefusals'>,
): Promise<{ requestId: string }> {
  const details = detailsByGrantType[input.grant_type].safeParse(input.details);
  if (!details.success) {
    const problems = details.error.issues.map(
      (issue) => `details${issue.path.map((key) => `.${String(key)}`).join('')}: ${issue.message}`,
    );
    throw new ToolFailure('invalid_request', problems.join('; '));
  }
  if (input.grant_type === 'spawn' && input.scope !== 'session') {
    throw new ToolFailure('invalid_request', 'scope: a spawn grant is requested for the session');
  }
  const answer = await api.requestPermission({
    ...input,
    request_id: randomUUID(),
    refused_call: 'scope' in details.data ? lastRefusals.lastFor(details.data.scope) : null,
  });
  if (answer.status === 'refused') {
    throw new ToolFailure(answer.code, answer.message);
  }
  return { requestId: answer.request_id };
}
