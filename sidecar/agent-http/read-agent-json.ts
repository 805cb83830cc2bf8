import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { holdsMoreValues, maxAgentValues } from '../../contract/json-values.ts';
import { HttpRefusal } from '../http/answer.ts';
import { parseJsonBody, readRequestBody } from '../http/read-body.ts';

/** A JSON body of the agent, whose values are counted before they are made. Throws HttpRefusal. */
export async function readAgentJson<Schema extends z.ZodType>(
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
