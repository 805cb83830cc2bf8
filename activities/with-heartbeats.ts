/**
 * For activities that wait for something else: a worker that is lost meanwhile is noticed by its
 * heartbeat, long before the limit.
 */
import { heartbeat } from '@temporalio/activity';

/** Several times within the shortest `heartbeatTimeout` of `workflows/steps.ts`. */
const intervalMs = 2000;

/** Heartbeats while `work` runs. Throws what it throws. */
export async function withHeartbeats<Result>(work: () => Promise<Result>): Promise<Result> {
  const beating = setInterval(heartbeat, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
