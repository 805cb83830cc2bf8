/** The Messages API: one path, and the one version of it that `request.ts` knows. */
import type { Dialect } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
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

/**
 * Which previews of the endpoint an agent may ask for (`anthropic-beta`): the beginnings of their names, each
 * of which ends with a date. None of them lets the endpoint reach or keep anything: no tools that it runs, no
 * MCP connector, no files, no skills.
 */
const allowedPreviews = [
  'adaptive-thinking-',
  'claude-code-',
  'context-1m-',
  'context-management-',
  'effort-',
  'extended-cache-ttl-',
  'fine-grained-tool-streaming-',
  'interleaved-thinking-',
  'output-128k-',
  'output-300k-',
  'pdfs-',
  'prompt-caching-',
  'redact-thinking-',
  'structured-outputs-',
  'task-budgets-',
  'token-efficient-tools-',
  'tool-examples-',
];
const previewName = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const mostPreviews = 32;

/**
 * The names of a header that may be sent on, as one header; null for none. Others are left out: the endpoint
 * then answers as if it had not been asked for.
 */
function allowedBetas(header: string | undefined): string | null {
  const names = (header ?? '').split(',', 4 * mostPreviews).map((name) => name.trim());
  const passed = names.filter(
    (name) => previewName.test(name) && allowedPreviews.some((beginning) => name.startsWith(beginning)),
  );
  return passed.length === 0 ? null : [...new Set(passed)].slice(0, mostPreviews).join(',');
}
