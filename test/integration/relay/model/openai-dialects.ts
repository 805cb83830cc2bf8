/** Chat Completions and Responses as an agent asks by them, and as an endpoint answers. */

import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import type { ModelDialect } from '../../../../contract/model-access.ts';
import { begin } from './model-session.ts';

const text = 'hi';

const chunk = (choices: object[], rest: object = {}) => ({
  id: 'chatcmpl_1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'test-model',
  choices,
  ...rest,
});
export const chatDelta = (delta: object, index = 0) => chunk([{ index, delta, finish_reason: null }]);
export const chatEnd = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]);
const chatUsage = {
  prompt_tokens: 19,
  completion_tokens: 5,
  total_tokens: 24,
  prompt_tokens_details: { cached_tokens: 4 },
};
export const chatUsageChunk = chunk([], { usage: chatUsage });

export const responseDelta = (delta: string, rest: object = {}) => ({
  ...{ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 },
  ...rest,
  delta,
});
const response = (rest: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] }],
  usage: {
    ...{ input_tokens: 19, input_tokens_details: { cached_tokens: 4 } },
    ...{ output_tokens: 5, total_tokens: 24 },
  },
  ...rest,
});
const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
export const responseStart = [
  { type: 'response.created', response: response({ status: 'in_progress', output: [], usage: null }) },
  { type: 'response.output_item.added', output_index: 0, item },
];
export const responseEnd = [
  { type: 'response.output_text.done', item_id: 'msg_1', output_index: 0, content_index: 0, text },
  { type: 'response.output_item.done', output_index: 0, item },
  { type: 'response.completed', response: response() },
];

export const writeChat = (events: readonly unknown[]): string =>
  events.map((each) => `data: ${each === '[DONE]' ? each : JSON.stringify(each)}\n\n`).join('');
export const writeResponses = (events: readonly ({ type: string } & Record<string, unknown>)[]): string =>
  events
    .map((each, at) => `event: ${each.type}\ndata: ${JSON.stringify({ ...each, sequence_number: at })}\n\n`)
    .join('');

export interface DialectCase {
  dialect: ModelDialect;
  path: string;
  below: string;
  question: Record<string, unknown>;
  /** Of the request as it is sent. */
  maximum: string;
  whole: object;
  /** The pieces of a text, as a stream of the endpoint. */
  stream(pieces: readonly string[]): string;
  /** The same without its end. */
  cut(pieces: readonly string[]): string;
  /** What a client joins. */
  joined(text: string): string;
  /** What the tool at this place of an answer is called with, joined. */
  called(text: string, at: number): string;
  isWhole(text: string): boolean;
  errorIn(text: string): string | undefined;
  /** An error within a stream. */
  failed(message: string): string;
}

/** The data of each event. */
export const dataIn = (streamed: string): Record<string, unknown>[] =>
  streamed
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));

const calledTools = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        tool_calls: z
          .array(z.object({ index: z.int(), function: z.object({ arguments: z.string() }) }))
          .default([]),
      }),
    }),
  ),
});

/** What the tool at `index` is called with, joined. */
export const argumentsIn = (streamed: string, index: number): string =>
  dataIn(streamed)
    .flatMap((each) => calledTools.safeParse(each).data?.choices ?? [])
    .flatMap(({ delta }) => delta.tool_calls)
    .filter((each) => each.index === index)
    .map((each) => each.function.arguments)
    .join('');

const joinedChunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })),
});
const joinedChat = (streamed: string): string =>
  dataIn(streamed)
    .flatMap((each) => joinedChunk.safeParse(each).data ?? [])
    .flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''))
    .join('');

const chatPieces = (pieces: readonly string[]) => [
  chatDelta({ role: 'assistant', content: '' }),
  ...pieces.map((content) => chatDelta({ content })),
];
const responsePieces = (pieces: readonly string[]) => [
  ...responseStart,
  ...pieces.map((piece) => responseDelta(piece)),
];

export const chatCase: DialectCase = {
  dialect: 'chat_completions',
  path: '/v1/chat/completions',
  below: '/chat/completions',
  question: { model: 'test-model', messages: [{ role: 'user', content: 'hello' }] },
  maximum: 'max_tokens',
  whole: {
    id: 'chatcmpl_1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: chatUsage,
  },
  stream: (pieces) => writeChat([...chatPieces(pieces), chatEnd, chatUsageChunk, '[DONE]']),
  cut: (pieces) => writeChat(chatPieces(pieces)),
  joined: joinedChat,
  called: argumentsIn,
  isWhole: (streamed) => streamed.endsWith('data: [DONE]\n\n'),
  errorIn: (streamed) => streamed.match(/"error":\{"message":"([^"]*)"/)?.[1],
  failed: (message) => writeChat([{ error: { message, type: 'server_error' } }]),
};

const joinedDeltas = (events: readonly Record<string, unknown>[], wanted: string): string =>
  events
    .filter(({ type }) => type === wanted)
    .map(({ delta }) => delta)
    .join('');

export const responsesCase: DialectCase = {
  dialect: 'responses',
  path: '/v1/responses',
  below: '/responses',
  question: { model: 'test-model', input: [{ role: 'user', content: 'hello' }] },
  maximum: 'max_output_tokens',
  whole: response(),
  stream: (pieces) => writeResponses([...responsePieces(pieces), ...responseEnd]),
  cut: (pieces) => writeResponses(responsePieces(pieces)),
  joined: (streamed) => joinedDeltas(dataIn(streamed), 'response.output_text.delta'),
  called: (streamed, at) =>
    joinedDeltas(
      dataIn(streamed).filter(({ output_index }) => output_index === at),
      'response.function_call_arguments.delta',
    ),
  isWhole: (streamed) => dataIn(streamed).at(-1)?.['type'] === 'response.completed',
  errorIn: (streamed) =>
    streamed.match(/"status":"failed".*"error":\{"code":"[^"]*","message":"([^"]*)"/)?.[1] ??
    streamed.match(/"error":\{"message":"([^"]*)"/)?.[1],
  failed: (message) =>
    writeResponses([
      { type: 'response.failed', response: response({ status: 'failed', error: { code: 'x', message } }) },
    ]),
};

export const sendJson = (answer: ServerResponse, body: object): unknown =>
  answer
    .writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
    .end(JSON.stringify(body));
export const sendStream = (answer: ServerResponse, text: string): unknown => begin(answer).end(text);
