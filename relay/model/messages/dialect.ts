/** The Messages API: one path, and the one version of it that `request.ts` knows. */
import type { Dialect } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import { allowedBetas } from './beta-names.ts';
import { parseMessagesRequest } from './request.ts';
import { openMessagesStream } from './stream.ts';

const version = '2023-06-01';
const path = '/v1/messages';

export const messagesDialect: Dialect = {
  targets: new Map([path, `${path}?beta=true`].map((each) => [each, each])),
  requestIdHeader: 'request-id',
  parseRequest: parseMessagesRequest,
  headers(key, asked) {
    const given = asked['anthropic-beta'];
    const betas = allowedBetas(Array.isArray(given) ? given.join(',') : given);
    return {
      'anthropic-version': version,
      'x-api-key': key,
      ...(betas === null ? {} : { 'anthropic-beta': betas }),
    };
  },
  readAnswer: (value) => (memberOf(value, 'type') === 'message' ? { usage: memberOf(value, 'usage') } : null),
  openStream: openMessagesStream,
  write: (event, redact) =>
    `event: ${String(memberOf(event, 'type'))}\ndata: ${redact(JSON.stringify(event))}\n\n`,
  errorBody,
  errorEvents: (error) => `event: error\ndata: ${errorBody(error)}\n\n`,
};

function errorBody({ type, message }: { type: string; message: string }): string {
  return JSON.stringify({ type: 'error', error: { type, message } });
}
