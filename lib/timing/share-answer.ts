/** One answer for all who ask within a short time. */
import { abandonAfter } from './time-limit.ts';

export interface SharedAnswerOptions {
  /** How long an answer, or a failure, is given to others. */
  validMs: number;
  /** An answer that is later than this has failed, so that one that never comes is asked for again. */
  limitMs: number;
}

/**
 * Returns a function that answers with the result of `ask` until it is older than it may be, and then asks
 * again, once for all who ask meanwhile: so the work is limited however many ask. Throws what `ask` throws,
 * and an Error when it is late.
 */
export function shareAnswer<Answer>(
  { validMs, limitMs }: SharedAnswerOptions,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let latest: Promise<Answer> | null = null;
  return () => {
    if (latest !== null) {
      return latest;
    }
    const asked = abandonAfter(limitMs, ask(), () => {
      throw new Error(`no answer within ${limitMs / 1000} seconds`);
    });
    latest = asked;
    const forget = () => {
      setTimeout(() => {
        latest = null;
      }, validMs).unref();
    };
    asked.then(forget, forget);
    return asked;
  };
}
