/** What an HTTP status means for the agent. Pure. */
import { quote } from '../../lib/oauth/errors.ts';
import { RemoteError } from './remote-error.ts';

export interface RefusedAnswer {
  host: string;
  status: number;
  /** Whether the request named a session. */
  hadSession: boolean;
  /** The message of the server's own error, when it sent one. */
  message: string | null;
  /** Values that must not appear, also where the server repeats them. */
  credentials: readonly string[];
}

/** `session`, `session_id`, `sessionId`, `SessionNotFound`. */
const namesSession = /\bsessions?(?:\b|[-_]?id\b|[-_]?not[-_]?found\b)/i;

/** The error for an answer that is not a success, and no response to the request either. */
export function refusedStatus({
  host,
  status,
  hadSession,
  message,
  credentials,
}: RefusedAnswer): RemoteError {
  const mayQuote = message !== null && !credentials.some((each) => message.includes(each));
  const said = mayQuote ? `: ${quote(message)}` : '';
  if ((status === 404 || status === 410) && hadSession) {
    return new RemoteError(
      'session_expired',
      `${host} has ended the session of this connection (${status}); open another connection, which begins a new session.`,
    );
  }
  // The example servers of the SDKs answer so in the place of 404.
  if (status === 400 && hadSession && message !== null && namesSession.test(message)) {
    return new RemoteError(
      'session_expired',
      `${host} does not know the session of this connection (400)${said}; open another connection, which begins a new session.`,
    );
  }
  if (status === 404 || status === 405) {
    return new RemoteError(
      'answer_refused',
      `${host} has no MCP endpoint at this address (${status})${said}`,
    );
  }
  if (status === 429) {
    return new RemoteError(
      'server_unavailable',
      `${host} accepts no more requests for now (429)${said}; try again later.`,
    );
  }
  return status >= 500
    ? new RemoteError(
        'server_unavailable',
        `${host} failed (${status})${said}; whether it did what was asked is not known.`,
      )
    : new RemoteError('answer_refused', `${host} refuses the request (${status})${said}`);
}
