/**
 * Where the session's model program asks before each request, and says afterwards what that took, on a socket
 * that its container alone sees. Whatever the platform does not answer is refused.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  type ModelRequestAnswer,
  modelRequestId,
  modelRequestInput,
  modelUsageReport,
} from '../../contract/model-access.ts';
import { HttpRefusal, sendJson } from '../http/answer.ts';
import { createHttp } from '../http/listen-http.ts';
import { parseJsonBody, readRequestBody } from '../http/read-body.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from '../platform-api/request.ts';

type ModelApi = Pick<PlatformApi, 'askForModelRequest' | 'reportModelUsage'>;

const limits = { connections: 64, bodyBytes: 16 * 1024 } as const;
const readLimits = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 5000 };
const route = /^\/model-requests\/([0-9a-fA-F-]{36})(\/usage)?$/;

export function createBudgetHttp(api: ModelApi): Server {
  return createHttp({ ...readLimits, maxConnections: limits.connections }, (request, response) =>
    handle(request, response, api),
  );
}

async function handle(request: IncomingMessage, response: ServerResponse, api: ModelApi): Promise<void> {
  const [, given, usage] = route.exec(request.url ?? '') ?? [];
  const id = modelRequestId.safeParse(given);
  if (request.method !== 'PUT' || !id.success) {
    throw new HttpRefusal('not_found', 'this socket serves PUT /model-requests/{id} and its usage alone');
  }
  const body = await readRequestBody(request, limits.bodyBytes);
  if (usage === undefined) {
    sendJson(response, 200, await ask(api, id.data, parseJsonBody(body, modelRequestInput)));
    return;
  }
  await report(api, id.data, parseJsonBody(body, modelUsageReport));
  response.writeHead(204).end();
}

/** A refusal that no other attempt changes is an answer. */
async function ask(
  api: ModelApi,
  ...asked: Parameters<ModelApi['askForModelRequest']>
): Promise<ModelRequestAnswer> {
  try {
    return await api.askForModelRequest(...asked);
  } catch (error) {
    refuseForNow(error);
    if (error instanceof PlatformRefusal) {
      return { decision: 'refused', code: 'model_access_ended', message: error.message };
    }
    throw error;
  }
}

async function report(api: ModelApi, ...reported: Parameters<ModelApi['reportModelUsage']>): Promise<void> {
  try {
    await api.reportModelUsage(...reported);
  } catch (error) {
    refuseForNow(error);
    throw error instanceof PlatformRefusal ? new HttpRefusal('not_found', error.message) : error;
  }
}

/** Throws HttpRefusal `unavailable` for what may be otherwise later. */
function refuseForNow(error: unknown): void {
  const isLimited = error instanceof PlatformRefusal && error.status === 429;
  if (isLimited || error instanceof PlatformUnreachable) {
    throw new HttpRefusal(
      'unavailable',
      `the platform gives no answer now: ${error.message}; ask again later`,
    );
  }
}
