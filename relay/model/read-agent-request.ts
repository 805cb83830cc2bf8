/** What an agent sent: one method at one path with a JSON body, and nothing else. */
import type { IncomingMessage } from 'node:http';
import { mediaType } from '../../lib/outbound/exchange.ts';
import { collectBytes } from '../../lib/timing/collected-bytes.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { ModelLimits } from './limits.ts';
import { ModelError } from './model-error.ts';
import type { Hold } from './turns.ts';

const path = '/v1/messages';

/** Throws ModelError for anything but `POST /v1/messages`, and for a body that is too large, or too slow. */
export async function readAgentRequest(
  request: IncomingMessage,
  { bodyBytes, requestMs }: Pick<ModelLimits, 'bodyBytes' | 'requestMs'>,
  hold: Hold,
): Promise<{ body: Buffer; isBeta: boolean }> {
  const { method, url, headers } = request;
  const isBeta = url === `${path}?beta=true`;
  if (url !== path && !isBeta) {
    throw new ModelError('not_found_error', `This socket answers POST ${path} alone`);
  }
  if (method !== 'POST') {
    throw new ModelError('invalid_request_error', `This socket answers POST ${path} alone`, { status: 405 });
  }
  if (mediaType(headers['content-type']) !== 'application/json') {
    throw new ModelError('invalid_request_error', 'The body must be application/json', { status: 415 });
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ModelError('invalid_request_error', 'The body must not be compressed', { status: 415 });
  }
  const late = () => {
    throw new ModelError('timeout_error', `The request did not arrive within ${requestMs / 1000} seconds`, {
      status: 408,
    });
  };
  return { body: await abandonAfter(requestMs, readBody(request, bodyBytes, hold), late), isBeta };
}

async function readBody(request: IncomingMessage, maxBytes: number, hold: Hold): Promise<Buffer> {
  const tooLarge = () => new ModelError('request_too_large', `The request is larger than ${maxBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  return collectBytes(request, { maxBytes, tooLarge, onChunk: hold });
}
