/** What happens before an agent runs, step by step. Pure. */

import type { Step } from '../../text/step.ts';
import type { TranscriptEvent } from './session-event-type.ts';
import { hasEnded, type SessionStatus } from './status-text.ts';

const labels = (hasSiblings: boolean): [SessionStatus, string][] => [
  ['pending', 'Wait for a worker'],
  ['validating', 'Check the configuration'],
  ['awaiting_authorization', 'Sign in to remote servers'],
  ['starting', hasSiblings ? 'Start the agent, its servers and siblings' : 'Start the agent and its servers'],
];

/**
 * From the status changes among a session's events, in order. A step that the session skipped is left out;
 * the one in which it ended failed.
 */
export function launchSteps(events: readonly TranscriptEvent[], hasSiblings = false): Step[] {
  const changes = events.flatMap(({ at, content }) =>
    content?.type === 'session.status_changed' ? [{ at: Date.parse(at), to: content.payload.to }] : [],
  );
  const now = changes.at(-1)?.to ?? 'pending';
  const isOver = now === 'running' || hasEnded(now);
  return labels(hasSiblings).flatMap(([status, label]): Step[] => {
    const index = changes.findIndex(({ to }) => to === status);
    const [entered, left] = [changes[index], changes[index + 1]];
    if (index < 0 || entered === undefined) {
      // Whether a sign-in is needed is known only when that step is reached.
      return isOver || status === 'awaiting_authorization'
        ? []
        : [{ label, state: 'ahead', durationMs: null }];
    }
    return [
      {
        label,
        state: left === undefined ? 'current' : hasEnded(left.to) ? 'failed' : 'done',
        durationMs: left === undefined ? null : left.at - entered.at,
      },
    ];
  });
}

/** From the first status to running, in ms; null when it has not come to that. */
export function launchDurationMs(events: readonly TranscriptEvent[]): number | null {
  const changes = events.filter(({ content }) => content?.type === 'session.status_changed');
  const running = changes.find(
    ({ content }) => content?.type === 'session.status_changed' && content.payload.to === 'running',
  );
  const [first] = changes;
  return first === undefined || running === undefined ? null : Date.parse(running.at) - Date.parse(first.at);
}
