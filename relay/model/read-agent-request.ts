/** What an agent sent: one method at one path with a JSON body, and nothing else. */
import type { IncomingMessage } from 'node:http';
import { mediaType } from '../../lib/outbound/send.ts';
import { collectBytes } from '../../lib/timing/collected-bytes.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { Dialect } from './dialect.ts';
import type { ModelLimits } from './limits.ts';
import { ModelError } from './model-error.ts';
import type { Hold } from './request-limits.ts';

interface ReadOptions {
  targets: Dialect['targets'];
  limits: Pick<ModelLimits, 'bodyBytes' | 'requestMs'>;
  hold: Hold;
}

/**
 * The body, and what is asked for below the endpoint's base URL. Throws ModelError for anything but a POST at
 * a path of the dialect, and for a body that is too large, or too slow.
 */
export async function readAgentRequest(
  request: IncomingMessage,
  { targets, limits: { bodyBytes, requestMs }, hold }: ReadOptions,
): Promise<{ body: Buffer; target: string }> {
  const { method, url = '', headers } = request;
  const target = targets.get(url);
  const answered = `This socket answers POST ${[...targets.keys()][0]} alone`;
  if (target === undefined) {
    throw new ModelError('not_found_error', answered);
  }
  if (method !== 'POST') {
    throw new ModelError('invalid_request_error', answered, { status: 405 });
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
  return { body: await abandonAfter(requestMs, readBody(request, bodyBytes, hold), late), target };
}

async function readBody(request: IncomingMessage, maxBytes: number, hold: Hold): Promise<Buffer> {
  const tooLarge = () => new ModelError('request_too_large', `The request is larger than ${maxBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  return collectBytes(request, { maxBytes, tooLarge, onChunk: hold });
}
