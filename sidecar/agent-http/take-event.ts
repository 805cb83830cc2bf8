import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentEventInput, agentEventInput } from '../../contract/agent-contract.ts';
import { holdsMoreValues, maxAgentValues } from '../../contract/json-values.ts';
import { HttpRefusal, sendJson } from '../http/answer.ts';
import { parseJsonBody, readRequestBody } from '../http/read-body.ts';
import { sendPermissionRequest } from '../platform-tools/permission-request.ts';
import type { AgentHttpDependencies } from './dependencies.ts';
import { asHttpRefusal } from './http-refusal.ts';

/** `POST /event`: publishes the agent's event; a permission request is handled like `request_grant`. */
export async function takeEvent(
  request: IncomingMessage,
  response: ServerResponse,
  _url: URL,
  dependencies: AgentHttpDependencies,
): Promise<void> {
  const body = await readRequestBody(request, dependencies.limits.eventBytes);
  if (holdsMoreValues(body, maxAgentValues)) {
    throw tooManyValues();
  }
  const event = parseJsonBody(body, agentEventInput);
  try {
    sendJson(response, 200, await publish(event, dependencies));
  } catch (error) {
    throw asHttpRefusal(error);
  }
}

const tooManyValues = () =>
  new HttpRefusal('validation_failed', 'Some fields are not valid', [
    { path: 'payload', code: 'too_big', message: `may hold ${maxAgentValues} JSON values at most` },
  ]);

async function publish(
  event: AgentEventInput,
  dependencies: AgentHttpDependencies,
): Promise<Record<string, string>> {
  if (event.type === 'agent.permission_request') {
    const { requestId } = await sendPermissionRequest(event.payload, dependencies);
    return { request_id: requestId, status: 'sent' };
  }
  const id = randomUUID();
  await dependencies.api.publishEvent({ id, ...event });
  return { event_id: id };
}
