/** Bounds on what a remote server may cost. Nobody sets them; tests pass smaller ones. */

export interface BridgeLimits {
  /** Of a message of the agent: what the sidecar takes as one line. */
  messageBytes: number;
  /** Of a message of the server, alike. */
  answerBytes: number;
  /** From the look-up until a request is sent. */
  connectMs: number;
  /** Without any byte, while an answer is expected; a comment of a stream is one, too. */
  silenceMs: number;
  /** The same for a subscription, in which nothing may happen for long. */
  subscriptionSilenceMs: number;
  /** Later messages of the agent wait for the answer to a notification; after this time they no longer do. */
  notificationMs: number;
  /** Requests of the agent that wait for their answers. */
  openRequests: number;
  /** Between attempts to connect a stream again, which grow from the first to the last. */
  firstReconnectMs: number;
  lastReconnectMs: number;
  /** How long a request waits for its stream to be connected again. */
  resumeMs: number;
  /** To get an access token, with all attempts. */
  accessTokenMs: number;
  /** To end a session at the server, within the time that a relay leaves a process which it ends. */
  endSessionMs: number;
}

export const defaultBridgeLimits: Readonly<BridgeLimits> = {
  messageBytes: 1024 * 1024,
  answerBytes: 10_000_000,
  connectMs: 30_000,
  silenceMs: 5 * 60_000,
  subscriptionSilenceMs: 60 * 60_000,
  notificationMs: 10_000,
  openRequests: 100,
  firstReconnectMs: 1000,
  lastReconnectMs: 30_000,
  resumeMs: 2 * 60_000,
  accessTokenMs: 10_000,
  endSessionMs: 1500,
};
