/**
 * Carries the checks of many calls in few requests: what is asked in one turn of the event loop, or
 * while as many requests are in flight as may be, shares the next one. A slow check delays no others
 * than those of its request.
 */
import { type CheckAnswer, maxChecks } from '../../contract/sidecar.ts';
import type { CheckRequest, PlatformApi } from './platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from './request.ts';

interface Waiting {
  request: CheckRequest;
  askedAtMs: number;
  resolve(answer: CheckAnswer | Promise<CheckAnswer>): void;
  reject(error: unknown): void;
}

/** A call that was asked about for this long without an answer is refused. */
const unansweredLimitMs = 10_000;
/** The agent's other requests share the limit of requests at a time, so checks leave room for them. */
const maxInFlight = 4;

type CheckApi = Pick<PlatformApi, 'checkCall' | 'checkCalls'>;

/** Returns a `checkCall` that throws what the API's own throws. */
export function createCheckQueue(api: CheckApi): PlatformApi['checkCall'] {
  const waiting: Waiting[] = [];
  let inFlight = 0;
  let isScheduled = false;

  /** Returns those whose turn did not come. */
  const send = async (batch: readonly Waiting[]): Promise<readonly Waiting[]> => {
    const unanswered = batch.length > 1 ? await sendTogether(api, batch) : null;
    if (unanswered !== null) {
      return unanswered;
    }
    await sendOneByOne(api, batch);
    return [];
  };
  const sendWaiting = () => {
    isScheduled = false;
    while (inFlight < maxInFlight && waiting.length > 0) {
      inFlight += 1;
      void send(waiting.splice(0, maxChecks)).then((unanswered) => {
        inFlight -= 1;
        waiting.unshift(...unanswered);
        sendWaiting();
      });
    }
  };

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, askedAtMs: performance.now(), resolve, reject });
      if (!isScheduled) {
        isScheduled = true;
        process.nextTick(sendWaiting);
      }
    });
}

/**
 * Settles each of the batch but those whose turn did not come, and returns these in their order; a platform
 * that answers about none is asked no more. Null, with none settled, when the batch was refused as a whole:
 * one of them is not valid. Never throws.
 */
async function sendTogether(api: CheckApi, batch: readonly Waiting[]): Promise<readonly Waiting[] | null> {
  try {
    const answers = await api.checkCalls(batch.map(({ request }) => request));
    const unanswered = batch.filter(({ request, resolve }) => {
      const answer = answers.get(request.call_id);
      if (answer !== undefined) {
        resolve(answer);
      }
      return answer === undefined;
    });
    const isOver = ({ askedAtMs }: Waiting) =>
      unanswered.length === batch.length || performance.now() - askedAtMs >= unansweredLimitMs;
    const over = unanswered.filter(isOver);
    rejectAll(over, new PlatformUnreachable('the platform answered without this call'));
    return unanswered.filter((each) => !over.includes(each));
  } catch (error) {
    if (error instanceof PlatformRefusal && error.status !== 401) {
      return null;
    }
    rejectAll(batch, error);
    return [];
  }
}

/**
 * Settles each of the batch, in its order: a later call must not take the grant for one call that an earlier
 * one is due. The wait for a platform that does not answer is not repeated for each. Never throws.
 */
async function sendOneByOne(api: CheckApi, batch: readonly Waiting[]): Promise<void> {
  for (const [index, { request, resolve, reject }] of batch.entries()) {
    try {
      resolve(await api.checkCall(request));
    } catch (error) {
      reject(error);
      if (!(error instanceof PlatformRefusal)) {
        rejectAll(batch.slice(index + 1), error);
        return;
      }
    }
  }
}

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const { reject } of batch) {
    reject(error);
  }
}
