/** Limits of time on what the gateway waits for. None is on a stream that flows. */
export interface GatewayLimits {
  /** For a connection of the relay. */
  connectMs: number;
  /** From the last of a request to the head of its answer. */
  answerMs: number;
  /** How long bytes wait for a service that does not read. */
  stalledMs: number;
}

export const gatewayLimits: GatewayLimits = { connectMs: 5000, answerMs: 60_000, stalledMs: 60_000 };
