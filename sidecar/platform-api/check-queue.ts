/**
 * Carries the checks of many calls in few requests: what is asked in one turn of the event loop, or while as many requests are in flight
 * as may be, shares the next one. A slow check delays no others than those of its request.
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

/** Returns a `checkCall` that throws what the API's own throws. */
export function createCheckQueue(
  api: Pick<PlatformApi, 'checkCall' | 'checkCalls'>,
): PlatformApi['checkCall'] {
  const waiting: Waiting[] = [];
  let inFlight = 0;
  let isScheduled = false;

  const sendWaiting = () => {
    isScheduled = false;
    while (inFlight < maxInFlight && waiting.length > 0) {
      inFlight += 1;
      void send(api, waiting.splice(0, maxChecks)).then((unanswered) => {
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
 * Settles each of the batch but those whose turn did not come: returns these, in their order. A platform that answers about none is
 * asked no more. Never throws.
 */
async function send(
  api: Pick<PlatformApi, 'checkCall' | 'checkCalls'>,
  batch: readonly Waiting[],
): Promise<Waiting[]> {
  const alone = () => Promise.all(batch.map((call) => sendAlone(api, call)));
  if (batch.length === 1) {
    await alone();
    return [];
  }
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
    for (const { reject } of unanswered.filter(isOver)) {
      reject(new PlatformUnreachable('the platform answered without this call'));
    }
    return unanswered.filter((each) => !isOver(each));
  } catch (error) {
    if (error instanceof PlatformRefusal && error.status !== 401) {
      // One of them is not valid, or the platform is of a release that takes them one by one.
      await alone();
    } else {
      for (const { reject } of batch) {
        reject(error);
      }
    }
    return [];
  }
}

async function sendAlone(
  api: Pick<PlatformApi, 'checkCall'>,
  { request, resolve, reject }: Waiting,
): Promise<void> {
  await api.checkCall(request).then(resolve, reject);
}
