import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { fieldProblemsOf } from '../../contract/errors.ts';
import { collectBytes } from '../../lib/timing/collected-bytes.ts';
import { HttpRefusal } from './answer.ts';

/** The whole body. Throws HttpRefusal `too_large` as soon as it is longer than `maxBytes`. */
export function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new HttpRefusal('too_large', `the body may have ${maxBytes} bytes at most`);
  return collectBytes(request, { maxBytes, tooLarge });
}

/** A JSON body by its schema. Throws HttpRefusal `malformed_request` or `validation_failed`. */
export function parseJsonBody<Schema extends z.ZodType>(body: Buffer, schema: Schema): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpRefusal('malformed_request', 'the body is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw new HttpRefusal('validation_failed', 'Some fields are not valid', fieldProblemsOf(parsed.error));
  }
  return parsed.data;
}
