/**
 * How an agent is told to ask a person for what was refused, in the same words wherever that is: a model
 * follows them as they are.
 */
import type { PermissionRequestInput } from './permission-request.ts';

/** The call that asks, with its arguments as JSON. */
export function askOnce({
  grant_type,
  details,
  scope,
}: Pick<PermissionRequestInput, 'grant_type' | 'details' | 'scope'>): string {
  const input = { grant_type, details, scope, justification: 'why you need it', wait_seconds: 300 };
  return `Call request_permission of the platform server, once, with ${JSON.stringify(input)}. It waits for a person.`;
}

/** By what the person decides, or does not. */
export const afterAsking: readonly string[] = [
  'If it is approved, make the same call again.',
  'If it is pending, neither ask again nor repeat the call: do other work, or end your turn. The decision arrives as a message.',
  'If it is denied, do not ask again: continue without it, or say what you cannot do.',
];

/** Once an agent may be started. Who asked for that may have been refused nothing. */
export const startNow = (childAgentId: unknown) =>
  `Call spawn_session of the platform server with the agent_id "${childAgentId}".`;
