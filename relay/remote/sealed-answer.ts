/**
 * Turns what a remote server answers into what the SDK's transport is given: sealed messages of
 * checked sizes, types and ids.
 */

import type { HttpAnswer } from '../../lib/outbound/send.ts';
import { mediaType, unexpectedType } from '../../lib/outbound/send.ts';
import type { OpenMessage } from './open-messages.ts';
import { readText } from './read-text.ts';
import { refusedStatus } from './refused-status.ts';
import { RemoteError } from './remote-error.ts';
import { type ServerStream, type StreamDependencies, sealStream } from './sealed-stream.ts';
import { generalError, parseServerText, type ServerMessage } from './server-message.ts';

export interface AnswerDependencies extends StreamDependencies {
  /** Values that no error may repeat. */
  credentials(): readonly string[];
}

const json = 'application/json';
const eventStream = 'text/event-stream';
const maxErrorBytes = 64 * 1024;
const sessionId = /^[\x21-\x7e]+$/;
/** Servers that keep no state put all of it there. It comes and goes with each message. */
const maxSessionIdLength = 8192;

/**
 * The answer to a message that was posted. `hadSession`: the request named one. Throws
 * RemoteError and OutboundError.
 */
export async function sealPostAnswer(
  dependencies: AnswerDependencies,
  open: OpenMessage,
  answer: HttpAnswer,
  { hadSession, signal }: { hadSession: boolean; signal: AbortSignal },
): Promise<Response> {
  const { url, status, headers, body } = answer;
  if (!isSuccess(status)) {
    const said = await readRefusal(dependencies, answer);
    // Servers of 2026-07-28 send errors with a status of their own; those are answers.
    if (said !== null && said.answers !== null && said.answers === open.id) {
      return jsonResponse(dependencies, [said], {});
    }
    throw refusal(dependencies, answer, said, hadSession);
  }
  const session = sessionHeaders(answer);
  const type = mediaType(headers['content-type']);
  if (open.id === null) {
    body.destroy();
    return new Response(null, { status: 202, headers: session });
  }
  if (type === eventStream) {
    const stream = { key: open.key, position: open.position, open, signal };
    return streamResponse(dependencies, stream, answer, session);
  }
  if (type !== json) {
    body.destroy();
    throw type === ''
      ? new RemoteError(
          'answer_refused',
          `${url.host} took the request, but gives no answer to it (${status})`,
        )
      : unexpectedType(url, type, [json, eventStream]);
  }
  const { answerBytes, silenceMs } = dependencies.limits;
  const text = await readText(answer, answerBytes, silenceMs);
  return jsonResponse(dependencies, answersIn(dependencies, open, answer, text), session);
}

/**
 * A stream that a GET opened: the server's own, or of a request that is continued. Throws
 * as `sealPostAnswer` does.
 */
export async function sealGetAnswer(
  dependencies: AnswerDependencies,
  stream: ServerStream,
  answer: HttpAnswer,
  hadSession: boolean,
): Promise<Response> {
  const { url, status, headers, body } = answer;
  if (!isSuccess(status)) {
    throw refusal(dependencies, answer, await readRefusal(dependencies, answer), hadSession);
  }
  const type = mediaType(headers['content-type']);
  if (type !== eventStream) {
    body.destroy();
    throw unexpectedType(url, type, [eventStream]);
  }
  return streamResponse(dependencies, stream, answer, {});
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** What a server says in a refusal, when it is a JSON-RPC message. */
async function readRefusal(
  { limits }: AnswerDependencies,
  answer: HttpAnswer,
): Promise<ServerMessage | null> {
  if (mediaType(answer.headers['content-type']) !== json) {
    answer.body.destroy();
    return null;
  }
  const text = await readText(answer, maxErrorBytes, limits.silenceMs).catch(() => '');
  return parseServerText(text)?.[0] ?? null;
}

const refusal = (
  { credentials }: AnswerDependencies,
  { url, status }: Pick<HttpAnswer, 'url' | 'status'>,
  said: ServerMessage | null,
  hadSession: boolean,
): RemoteError =>
  refusedStatus({
    host: url.host,
    status,
    hadSession,
    message: said === null ? null : generalError(said),
    credentials: credentials(),
  });

/** The messages in a body, of which one must answer the request. */
function answersIn(
  dependencies: AnswerDependencies,
  open: OpenMessage,
  answer: HttpAnswer,
  text: string,
): ServerMessage[] {
  const { host } = answer.url;
  const messages = parseServerText(text);
  if (messages === null) {
    throw new RemoteError('answer_refused', `${host} answers with what is no JSON-RPC message`);
  }
  const fitting = messages.filter(({ answers }) => answers === null || answers === open.id);
  if (fitting.some(({ answers }) => answers !== null)) {
    return fitting;
  }
  const error = fitting.find((message) => generalError(message) !== null);
  throw error === undefined
    ? new RemoteError('answer_refused', `${host} answers another request than the one that it was sent`)
    : refusal(dependencies, answer, error, false);
}

function jsonResponse(
  { sealed }: AnswerDependencies,
  messages: readonly ServerMessage[],
  session: Record<string, string>,
): Response {
  const body = `[${messages.map((message) => sealed.seal(message)).join()}]`;
  return new Response(body, { headers: { 'content-type': json, ...session } });
}

const streamResponse = (
  dependencies: AnswerDependencies,
  stream: ServerStream,
  answer: HttpAnswer,
  session: Record<string, string>,
): Response =>
  new Response(sealStream(dependencies, stream, answer), {
    headers: { 'content-type': eventStream, ...session },
  });

function sessionHeaders({ url, headers, body }: HttpAnswer): Record<string, string> {
  const id = headers['mcp-session-id'];
  if (id === undefined) {
    return {};
  }
  if (typeof id !== 'string' || !sessionId.test(id)) {
    body.destroy();
    throw new RemoteError('answer_refused', `${url.host} gives its session an id that no header may have`);
  }
  if (id.length > maxSessionIdLength) {
    body.destroy();
    const why = `gives its session an id of more than ${maxSessionIdLength} characters, which is the limit`;
    throw new RemoteError('answer_refused', `${url.host} ${why}`);
  }
  return { 'mcp-session-id': id };
}
