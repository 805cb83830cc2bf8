/** Why an agent was not started. */
import { notReadyWithin } from './session-process.ts';
import type { SiblingReport } from './sidecar.ts';

/** One sentence about a sibling that did not get ready; never what it wrote. */
export function siblingNotReady(
  name: string,
  limitSeconds: number,
  failure: SiblingReport['failure'],
): string {
  const consequence = 'so the agent was not started';
  switch (failure.type) {
    case 'not_in_time':
      return `The sibling "${name}" ${notReadyWithin(limitSeconds)}, ${consequence}`;
    case 'not_started':
      return `The sibling "${name}" could not be started, ${consequence}`;
    case 'ended': {
      const how =
        failure.exit_code === null
          ? `was ended by ${failure.signal ?? 'a signal'}`
          : `ended with exit code ${failure.exit_code}`;
      return `The sibling "${name}" ${how} before it was ready, ${consequence}`;
    }
  }
}
