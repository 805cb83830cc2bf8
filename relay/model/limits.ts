/** Limits of one session's model program. What an agent may spend is the platform's to count. */
export interface ModelLimits {
  /** Connections of the agent at a time, and what it waits for one that is used. */
  connections: number;
  /** Requests that are forwarded at a time. */
  requests: number;
  /** Of one request; of all that are held at a time. */
  bodyBytes: number;
  heldBytes: number;
  /** JSON values in one request. */
  bodyValues: number;
  /** For the agent to send its request. */
  requestMs: number;
  /** For the answer of the platform to the question whether a request may be sent. */
  budgetMs: number;
  /** How long an outcome that the platform does not take is offered again. */
  usageMs: number;
  /** From the look-up until the request is sent. */
  connectMs: number;
  /** Until the endpoint begins its answer, and between two pieces of it. */
  silenceMs: number;
  /** For the whole of an answer that is not streamed. */
  wholeMs: number;
  /** For the whole of one that is. */
  streamMs: number;
  /** For the agent to take what was sent to it. */
  stalledMs: number;
  answerBytes: number;
  eventBytes: number;
  streamBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultModelLimits: ModelLimits = {
  connections: 64,
  requests: 16,
  bodyBytes: 32 * mebibyte,
  heldBytes: 64 * mebibyte,
  bodyValues: 200_000,
  requestMs: 60_000,
  budgetMs: 20_000,
  usageMs: 600_000,
  connectMs: 20_000,
  silenceMs: 120_000,
  wholeMs: 600_000,
  streamMs: 3_600_000,
  stalledMs: 60_000,
  answerBytes: 16 * mebibyte,
  eventBytes: 4 * mebibyte,
  streamBytes: 64 * mebibyte,
};
