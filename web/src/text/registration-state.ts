/** Whether a remote server can be used yet. Pure. */
import type { McpServer } from '../api/types.ts';

type Registered = Pick<McpServer, 'registration'>;

/**
 * Why sessions with the entry cannot start yet, as a sentence; null when they can. The
 * reason may quote the server.
 */
export function notReadyReason({ registration }: Registered): string | null {
  switch (registration?.status) {
    case 'pending':
      return 'The platform is finding out how people sign in to it.';
    case 'failed':
      return registration.reason ?? 'It could not be registered.';
    default:
      return null;
  }
}

/** The same where only words of the platform fit. */
export function notReadyWords({ registration }: Registered): string | null {
  switch (registration?.status) {
    case 'pending':
      return 'not ready yet, it is being registered';
    case 'failed':
      return 'not ready, its registration failed';
    default:
      return null;
  }
}

/**
 * Polled while one is pending, which lasts seconds and is reported by no stream; no longer. In
 * ms, as a query takes it.
 */
export const askWhilePending = (
  servers: readonly Registered[] | undefined,
  everyMs: number,
): number | false =>
  servers?.some(({ registration }) => registration?.status === 'pending') === true ? everyMs : false;
