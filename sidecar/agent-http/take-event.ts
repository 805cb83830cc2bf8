/** What an agent publishes by HTTP: events, and what it has written of a message that it still writes. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod';
import { type AgentEventInput, agentEventInput } from '../../contract/agent-contract.ts';
import { holdsMoreValues, maxAgentValues } from '../../contract/json-values.ts';
import { liveTextInput } from '../../contract/live-text.ts';
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
  const event = await readAgentJson(request, dependencies.limits.eventBytes, agentEventInput);
  try {
    sendJson(response, 200, await publish(event, dependencies));
  } catch (error) {
    throw asHttpRefusal(error);
  }
}

async function publish(
  event: AgentEventInput,
  dependencies: AgentHttpDependencies,
): Promise<Record<string, string>> {
  if (event.type === 'agent.permission_request') {
    const { requestId } = await sendPermissionRequest(event.payload, dependencies);
    return { request_id: requestId, status: 'sent' };
  }
  if (event.type === 'agent.message') {
    return { event_id: await dependencies.liveText.publish(event.payload) };
  }
  const id = randomUUID();
  await dependencies.api.publishEvent({ id, ...event });
  return { event_id: id };
}

/** `POST /live-text`: what the agent has written of a message that it still writes. */
export async function takeLiveText(
  request: IncomingMessage,
  response: ServerResponse,
  _url: URL,
  { liveText, limits }: AgentHttpDependencies,
): Promise<void> {
  const { text } = await readAgentJson(request, limits.eventBytes, liveTextInput);
  try {
    await liveText.write(text);
  } catch (error) {
    throw asHttpRefusal(error);
  }
  sendJson(response, 200, { ok: true });
}

/** A JSON body of the agent, whose values are counted before they are made. Throws HttpRefusal. */
async function readAgentJson<Schema extends z.ZodType>(
  request: IncomingMessage,
  maxBytes: number,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body = await readRequestBody(request, maxBytes);
  if (holdsMoreValues(body, maxAgentValues)) {
    throw new HttpRefusal('validation_failed', 'Some fields are not valid', [
      { path: 'payload', code: 'too_big', message: `may hold ${maxAgentValues} JSON values at most` },
    ]);
  }
  return parseJsonBody(body, schema);
}
