/** What is asked of the endpoint: the dialect's paths alone, with the key and the platform's own headers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ModelProgramConfig } from '../../contract/model-program.ts';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { openStream } from '../../lib/outbound/open-stream.ts';
import { resolveByLookup } from '../../lib/outbound/resolve-names.ts';
import type { HttpAnswer } from '../../lib/outbound/send.ts';
import { createRedactor, type Redactor, redactText, secretMark } from '../../lib/redaction/redactor.ts';
import type { Dialect, ModelRequest } from './dialect.ts';
import type { ModelLimits } from './limits.ts';
import { ModelError } from './model-error.ts';

export interface Endpoint {
  /**
   * Its body must be read or destroyed. Throws ModelError and OutboundError; the reason of
   * `signal` when that is aborted.
   */
  ask(request: ModelRequest, options: AskOptions): Promise<HttpAnswer>;
  /** A text of the endpoint without the key, in whatever form. */
  redact(text: string): string;
  /** Of what it says of an error, which may quote a key by its ends. */
  redactError(text: string): string;
  /** The same for a text that arrives in pieces. */
  createRedactor(): Redactor;
}

export interface AskOptions {
  /** Below the base URL. */
  target: string;
  /** Of the agent's request. */
  asked: IncomingHttpHeaders;
  signal: AbortSignal;
  onSent(): void;
}

/** What a header may hold, and long enough to be looked for in a text. */
const usableKey = /^[\x21-\x7e]{8,1000}$/;

export interface EndpointDependencies {
  dialect: Dialect;
  key: string;
  limits: ModelLimits;
  resolveName?: ResolveName | undefined;
}

export function createEndpoint(
  { base_url, private_hosts, host_socket }: ModelProgramConfig,
  { dialect, key, limits, resolveName = resolveByLookup }: EndpointDependencies,
): Endpoint {
  const { connectMs, silenceMs, wholeMs } = limits;
  const policy = {
    privateHosts: new Map(Object.entries(private_hosts)),
    setting: 'PRIVATE_MCP_HOSTS of the worker',
  };
  const redactor = createRedactor([key]);
  return {
    async ask({ body, isStreamed }, { target, asked, signal, onSent }) {
      if (!usableKey.test(key)) {
        throw new ModelError(
          'api_error',
          "The secret of this agent's model access holds no usable key; an admin has to set it again",
          { status: 400, mayRetry: false },
        );
      }
      const url = new URL(`${base_url.replace(/\/+$/, '')}${target}`);
      const headers = {
        'content-type': 'application/json',
        accept: isStreamed ? 'text/event-stream' : 'application/json',
        'accept-encoding': 'identity',
        ...dialect.headers(key, asked),
      };
      const times = { connectMs, silenceMs: isStreamed ? silenceMs : wholeMs };
      const context = { policy, resolveName, workspaceId: null, hostSocket: host_socket, signal };
      return openStream(context, { method: 'POST', url, headers, body, ...times, onSent });
    },
    redact: (text) => redactText(redactor, text),
    redactError: (text) => withoutEnds(redactText(redactor, text), key),
    createRedactor: () => createRedactor([key]),
  };
}

const masked = /[*•]{2,}|\.{3}|…|x{4,}/i;

/** A text without the words that quote a key, masked or by its beginning or end. */
function withoutEnds(text: string, key: string): string {
  const isQuote = (word: string) =>
    word.includes(key.slice(0, 8)) ||
    word.includes(key.slice(-4)) ||
    (masked.test(word) && (word.includes(key.slice(0, 2)) || word.includes(key.slice(-2))));
  return text.replace(/\S+/g, (word) => (isQuote(word) ? secretMark : word));
}
