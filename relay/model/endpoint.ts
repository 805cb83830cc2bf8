/** The one thing that is asked of the endpoint: `POST /v1/messages`, with the key and the platform's own headers. */

import type { ModelProgramConfig } from '../../contract/model-program.ts';
import { type BlackOut, createBlackOut } from '../../lib/black-out/black-out.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { openStream } from '../../lib/outbound/open-stream.ts';
import { resolveByLookup } from '../../lib/outbound/resolve-names.ts';
import type { ModelLimits } from './limits.ts';
import { ModelError } from './model-error.ts';
import type { ModelRequest } from './model-request.ts';

export interface Endpoint {
  /** Its body must be read or destroyed. Throws ModelError and OutboundError; the reason of `signal` when that is aborted. */
  ask(request: ModelRequest, options: AskOptions): Promise<HttpAnswer>;
  /** A text of the endpoint without the key, in whatever form. */
  blackOut(text: string): string;
  /** The same for a text that arrives in pieces. */
  createBlackOut(): BlackOut;
}

export interface AskOptions {
  betas: string | null;
  /** Whether the agent asked for `?beta=true`. */
  isBeta: boolean;
  signal: AbortSignal;
  onSent(): void;
}

/** The version of the Messages API that `model-request.ts` knows. */
const version = '2023-06-01';
/** What a header may hold, and long enough to be looked for in a text. */
const usableKey = /^[\x21-\x7e]{8,1000}$/;

export function createEndpoint(
  { base_url, private_hosts, host_socket }: ModelProgramConfig,
  key: string,
  { connectMs, silenceMs, wholeMs }: ModelLimits,
  resolveName: ResolveName = resolveByLookup,
): Endpoint {
  const policy = {
    privateHosts: new Map(Object.entries(private_hosts)),
    setting: 'PRIVATE_MCP_HOSTS of the worker',
  };
  const blackedOut = createBlackOut([key]);
  return {
    async ask({ body, isStreamed }, { betas, isBeta, signal, onSent }) {
      if (!usableKey.test(key)) {
        throw new ModelError(
          'api_error',
          "The secret of this agent's model access holds no usable key; an admin has to set it again",
          { status: 400, mayRetry: false },
        );
      }
      const url = new URL(`${base_url.replace(/\/+$/, '')}/v1/messages${isBeta ? '?beta=true' : ''}`);
      const headers = {
        'content-type': 'application/json',
        accept: isStreamed ? 'text/event-stream' : 'application/json',
        'accept-encoding': 'identity',
        'anthropic-version': version,
        'x-api-key': key,
        ...(betas === null ? {} : { 'anthropic-beta': betas }),
      };
      const limits = { connectMs, silenceMs: isStreamed ? silenceMs : wholeMs };
      const context = { policy, resolveName, hostSocket: host_socket, signal };
      return openStream(context, { method: 'POST', url, headers, body, ...limits, onSent });
    },
    blackOut: (text) =>
      Buffer.concat([blackedOut.push(Buffer.from(text)), blackedOut.end()]).toString('utf8'),
    createBlackOut: () => createBlackOut([key]),
  };
}
