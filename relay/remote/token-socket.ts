/** Asks the sidecar for access tokens, over the socket in the server's own directory. */
import { type IncomingMessage, request } from 'node:http';
import {
  type AccessTokenAnswer,
  type AccessTokenRequest,
  accessTokenAnswer,
} from '../../contract/remote-server.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { readResponseBody } from '../../lib/outbound/get.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { RemoteError } from './remote-error.ts';

export type AskForToken = (question: AccessTokenRequest, signal: AbortSignal) => Promise<AccessTokenAnswer>;

const maxAnswerBytes = 256 * 1024;
const delays = { firstDelayMs: 200, maxDelayMs: 2000 };
/** The platform is not there for now, or its answer was lost. */
class UnavailableError extends Error {}

/**
 * A function that throws RemoteError `server_unavailable` when there is no answer within `limitMs`, or one
 * that cannot be understood.
 */
export function tokenSocket(socketPath: string, limitMs: number): AskForToken {
  return async (question, signal) => {
    const attempt = (limited: AbortSignal) =>
      retry(() => ask(socketPath, question, limited), {
        ...delays,
        signal: limited,
        isRetryable: (error) => error instanceof UnavailableError,
      });
    try {
      return await withinLimit(limitMs, signal, attempt);
    } catch {
      throw new RemoteError(
        'server_unavailable',
        'The platform gives no access token for the remote server at the moment; try again later.',
      );
    }
  };
}

async function ask(
  socketPath: string,
  question: AccessTokenRequest,
  signal: AbortSignal,
): Promise<AccessTokenAnswer> {
  const response = await post(socketPath, Buffer.from(JSON.stringify(question)), signal);
  const body = await readAnswer(response);
  if (response.statusCode !== 200) {
    throw response.statusCode === 503 ? new UnavailableError() : new Error('no access token');
  }
  return accessTokenAnswer.parse(JSON.parse(body));
}

function post(socketPath: string, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/access-token', method: 'POST', headers, signal }, resolve)
      .on('error', () => reject(new UnavailableError()))
      .end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  try {
    return (await readResponseBody(response, maxAnswerBytes, 'the answer')).toString();
  } catch (error) {
    throw error instanceof OutboundError ? error : new UnavailableError();
  }
}
