/** Responses, without what the endpoint would keep: one path below a base URL that ends with its version. */
import type { Dialect } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import { bearerHeaders, errorCode, openaiErrorBody, openaiRequestId } from '../openai/form.ts';
import { parseResponsesRequest } from './request.ts';
import { openResponsesStream, responsesUsage } from './stream.ts';

const written = (type: string, data: string) => `event: ${type}\ndata: ${data}\n\n`;

export const responsesDialect: Dialect = {
  targets: new Map([['/v1/responses', '/responses']]),
  requestIdHeader: openaiRequestId,
  parseRequest: parseResponsesRequest,
  headers: bearerHeaders,
  readAnswer: (value) => (memberOf(value, 'object') === 'response' ? { usage: responsesUsage(value) } : null),
  openStream: openResponsesStream,
  write: (event, redact) => written(String(memberOf(event, 'type')), redact(JSON.stringify(event))),
  errorBody: openaiErrorBody,
  /** Clients read one or the other. */
  errorEvents(error) {
    const { message } = error;
    const code = errorCode(error);
    const failed = { object: 'response', status: 'failed', output: [], error: { code, message } };
    return (
      written('error', JSON.stringify({ type: 'error', code, message, param: null })) +
      written('response.failed', JSON.stringify({ type: 'response.failed', response: failed }))
    );
  },
};
