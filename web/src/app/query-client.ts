/**
 * One cache of answers. A 401 of any of them brings up the sign-in over the page, which keeps what was typed.
 */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { reportSignedOut } from '../api/connection.ts';
import { ApiFailure, isBusy, isTransient, whyEnded } from '../api/failure.ts';

const maxRetries = 2;
/**
 * Each wait for a busy platform is twice as long as the one before, up to this, and at least as long as the
 * platform says: until one request fits.
 */
const longestBackoffSeconds = 30;

/**
 * Many tabs together may exceed a person's rate limit. That always passes: what it refused is
 * retried until it is answered.
 */
function busySeconds(error: unknown): number | null {
  return isBusy(error) ? (error.retryAfterSeconds ?? 5) : null;
}

/** Jitter: tabs that were refused together do not retry together. */
const spread = (delayMs: number) => delayMs * (1 + Math.random() / 2);

function noticeSignedOut(error: unknown): void {
  if (error instanceof ApiFailure && error.status === 401) {
    reportSignedOut(whyEnded(error));
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The browser's online state is meaningless for a platform on the same machine.
      networkMode: 'always',
      retry: (count, error) => isBusy(error) || (isTransient(error) && count < maxRetries),
      retryDelay: (count, error) =>
        spread(Math.max(busySeconds(error) ?? 0, Math.min(2 ** count, longestBackoffSeconds)) * 1000),
    },
    // A request that changes something is sent once: the person decides whether to send it again.
    mutations: { networkMode: 'always', retry: false },
  },
});
