/** When open streams check and send, however many there are. */

export interface StreamTiming {
  /**
   * How often rights are read again, and the table without an announcement; nothing is sent on rights
   * that were asked for earlier.
   */
  checkMs: number;
  /** A line after this long without an event keeps proxies from closing the connection. */
  heartbeatMs: number;
}

export const streamTiming: StreamTiming = { checkMs: 2000, heartbeatMs: 15_000 };

/**
 * Few enough that streams share their reads, and several, so that not all of them work at the same moment.
 */
const checkTimes = 8;

/**
 * How long until a stream's next check: `checkMs` or a little less, at one of the few times that all streams
 * of the process have in common. So streams that opened at any moment are read together.
 */
export function untilNextCheckMs(
  { checkMs }: Pick<StreamTiming, 'checkMs'>,
  nowMs = performance.now(),
): number {
  const apartMs = checkMs / checkTimes;
  return Math.floor((nowMs + checkMs) / apartMs) * apartMs - nowMs;
}
