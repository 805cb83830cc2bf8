/**
 * Asks the platform, through the sidecar, whether a request may be sent, and says afterwards what it took.
 */
import { type IncomingMessage, request } from 'node:http';
import {
  type ModelRequestAnswer,
  type ModelUsageReport,
  modelRequestAnswer,
} from '../../contract/model-access.ts';
import { readResponseBody } from '../../lib/outbound/send.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import type { ModelLimits } from './limits.ts';

export interface Budget {
  /**
   * May the request `id` be sent? Null: nobody says, which is a no, although its output may have been set
   * aside. An agent that leaves does not end the question, for the same reason. Does not throw.
   */
  ask(id: string, maxTokens: number): Promise<ModelRequestAnswer | null>;
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
    ask: (id, maxTokens) =>
      withinLimit(budgetMs, undefined, async (signal) => {
        const asked = { max_tokens: maxTokens };
        const { status, body } = await put(socketPath, `/model-requests/${id}`, asked, signal);
        return status === 200 ? modelRequestAnswer.parse(JSON.parse(body)) : null;
      }).catch(() => null),
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
