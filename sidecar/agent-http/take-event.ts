import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentEventInput, agentEventInput } from '../../contract/agent-contract.ts';
import { type ErrorCode, httpStatusByCode } from '../../contract/errors.ts';
import { HttpRefusal, sendJson } from '../http/answer.ts';
import { parseJsonBody, readBody } from '../http/read-body.ts';
import { PlatformRefusal, PlatformUnreachable } from '../platform-api/request.ts';
import { sendPermissionRequest } from '../platform-tools/permission-request.ts';
import { ToolFailure } from '../platform-tools/tool.ts';
import type { AgentHttpParts } from './agent-http.ts';

/** `POST /event`: publishes what the agent has to say; a permission request goes the way of `request_grant`. */
export async function takeEvent(
  request: IncomingMessage,
  response: ServerResponse,
  _url: URL,
  parts: AgentHttpParts,
): Promise<void> {
  const event = parseJsonBody(await readBody(request, parts.limits.eventBytes), agentEventInput);
  try {
    sendJson(response, 200, await publish(event, parts));
  } catch (error) {
    throw asHttpRefusal(error);
  }
}

async function publish(event: AgentEventInput, parts: AgentHttpParts): Promise<Record<string, string>> {
  if (event.type === 'agent.permission_request') {
    const { requestId } = await sendPermissionRequest(event.payload, parts);
    return { request_id: requestId, status: 'sent' };
  }
  const id = randomUUID();
  await parts.api.publishEvent({ id, ...event });
  return { event_id: id };
}

/** The platform's refusals, as this socket tells them. Anything else stays what it is. */
export function asHttpRefusal(error: unknown): unknown {
  if (error instanceof PlatformUnreachable) {
    return new HttpRefusal('unavailable', error.message);
  }
  if (error instanceof ToolFailure || error instanceof PlatformRefusal) {
    return new HttpRefusal(httpCodeOf(error.code), `${error.code}: ${error.message}`);
  }
  return error;
}

/** A code of this interface stays; one of the tool side is a request that was not valid, or not allowed. */
function httpCodeOf(code: string): ErrorCode {
  if (Object.hasOwn(httpStatusByCode, code)) {
    return code as ErrorCode;
  }
  return code === 'invalid_request' ? 'validation_failed' : 'forbidden';
}
