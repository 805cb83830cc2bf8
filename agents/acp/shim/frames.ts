/** JSON-RPC lines as the shim reads them. What it does not change is passed on as the bytes that came. */
import * as z from 'zod';
import { jsonOrNull } from '../../../contract/json-or-null.ts';

const id = z.union([z.string(), z.number()]);
const object = z.record(z.string(), z.unknown());
const request = z.looseObject({ id, method: z.string(), params: object.optional() });
const notification = z.looseObject({
  id: z.undefined().optional(),
  method: z.string(),
  params: object.optional(),
});
const response = z.looseObject({
  id: id.nullish(),
  method: z.undefined().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

export type RpcId = z.infer<typeof id>;
export type Frame =
  | { type: 'request'; line: string; message: z.infer<typeof request> }
  | { type: 'notification'; line: string; message: z.infer<typeof notification> }
  | { type: 'response'; line: string; message: z.infer<typeof response> }
  /** No message, which the other side has to refuse. */
  | { type: 'other'; line: string };

export function readFrame(bytes: Buffer): Frame {
  const line = bytes.toString();
  const value = jsonOrNull(line);
  const asked = request.safeParse(value);
  if (asked.success) {
    return { type: 'request', line, message: asked.data };
  }
  const told = notification.safeParse(value);
  if (told.success) {
    return { type: 'notification', line, message: told.data };
  }
  const answered = response.safeParse(value);
  return answered.success ? { type: 'response', line, message: answered.data } : { type: 'other', line };
}

/** A key that keeps the number 1 and the text "1" apart. */
export const keyOf = (value: RpcId): string => JSON.stringify(value);

const toolCall = z.object({ name: z.string(), arguments: object.optional() });
/** The tool that a request calls; null for any other request. */
export const toolOf = ({ method, params }: { method: string; params?: unknown }) =>
  method === 'tools/call' ? (toolCall.safeParse(params).data ?? null) : null;

const listed = z.object({ nextCursor: z.string() });
/** Of a list whose answer was one page of it; null where it was the last: an empty one is none. */
export const cursorAfter = (answer: { result?: unknown }): string | null =>
  listed.safeParse(answer.result).data?.nextCursor || null;

const textResult = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
});
const rpcError = z.object({ message: z.string() });
/** What a response says to a model, in the one form that the session's loop reads. */
export function answerOf({ result, error }: { result?: unknown; error?: unknown }): {
  failed: boolean;
  text: string;
} {
  const read = error === undefined ? textResult.safeParse(result).data : undefined;
  if (read === undefined) {
    return { failed: true, text: rpcError.safeParse(error).data?.message ?? 'the call failed' };
  }
  const texts = read.content.flatMap(({ type, text }) =>
    type === 'text' && text !== undefined ? [text] : [],
  );
  return { failed: read.isError === true, text: texts.join('\n').trim() };
}
