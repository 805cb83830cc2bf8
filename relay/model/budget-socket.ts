/** Asks the platform, through the sidecar, whether a request may be sent, and says afterwards what it took. */
import { type IncomingMessage, request } from 'node:http';
import { type ModelUsageReport, modelRequestAnswer } from '../../contract/model-access.ts';
import { readResponseBody } from '../../lib/outbound/get.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import type { ModelLimits } from './limits.ts';
import { ModelError } from './model-error.ts';

export interface Budget {
  /** Returns when the request `id` may be sent. Throws ModelError; whatever is not an answer is a no. */
  ask(id: string, maxTokens: number, signal: AbortSignal): Promise<void>;
  /** Offers the outcome until it is taken, for a limited time. Does not throw. */
  report(id: string, usage: ModelUsageReport): Promise<void>;
}

const maxAnswerBytes = 64 * 1024;
const delays = { firstDelayMs: 200, maxDelayMs: 10_000 };
const attemptMs = 15_000;

export function budgetSocket(
  socketPath: string,
  { budgetMs, usageMs }: Pick<ModelLimits, 'budgetMs' | 'usageMs'>,
): Budget {
  return {
    async ask(id, maxTokens, signal) {
      const answer = await withinLimit(budgetMs, signal, async (limited) => {
        const { status, body } = await put(
          socketPath,
          `/model-requests/${id}`,
          { max_tokens: maxTokens },
          limited,
        );
        return status === 200 ? modelRequestAnswer.parse(JSON.parse(body)) : null;
      }).catch(() => null);
      if (answer === null) {
        throw new ModelError(
          'overloaded_error',
          'The platform cannot say at the moment whether the model may be asked; try again later',
          { status: 503, retryAfter: '2' },
        );
      }
      if (answer.decision === 'refused') {
        throw new ModelError('permission_error', answer.message, { mayRetry: false });
      }
    },
    async report(id, usage) {
      const attempt = () =>
        withinLimit(attemptMs, undefined, async (signal) => {
          const { status } = await put(socketPath, `/model-requests/${id}/usage`, usage, signal);
          // A refusal is an answer, too: the same report would be refused again.
          if (status === 429 || status >= 500) {
            throw new Error('not taken');
          }
        });
      await retry(attempt, { ...delays, limitMs: usageMs }).catch(() => undefined);
    },
  };
}

async function put(
  socketPath: string,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path, method: 'PUT', headers, signal }, resolve).on('error', reject).end(bytes);
  });
  const answer = await readResponseBody(response, maxAnswerBytes, 'the answer');
  return { status: response.statusCode ?? 0, body: answer.toString() };
}
