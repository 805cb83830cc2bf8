/** What the agent asked its user and has no answer to. Pure. */
import type { PayloadOf, TranscriptEvent } from './session-event-type.ts';

export type Question = PayloadOf<'agent.input_requested'>;

/** Oldest first: each message of the user answers the oldest question that is open. */
export function openQuestions(events: readonly TranscriptEvent[]): Question[] {
  const open: Question[] = [];
  for (const { content } of events) {
    if (content?.type === 'agent.input_requested') {
      open.push(content.payload);
    } else if (content?.type === 'user.message') {
      open.shift();
    }
  }
  return open;
}
