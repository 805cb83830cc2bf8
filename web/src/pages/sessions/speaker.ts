/** Whose words an entry of a transcript holds. Pure. */
import type { TranscriptEvent } from './session-event-type.ts';

export type Speaker =
  | { kind: 'platform' }
  | { kind: 'person'; userId: string }
  /** The agent of the session itself. */
  | { kind: 'agent' }
  /** The agent of another session of the tree. */
  | { kind: 'other-agent'; name: string };

/** An agent's words are never a person's, and those of another session's agent are not this one's. */
export function speakerOf({ actor, content }: TranscriptEvent, sessionId: string): Speaker {
  if (content?.type === 'session.message' && content.payload.direction === 'received') {
    return { kind: 'other-agent', name: content.payload.agent.name };
  }
  if (content?.type === 'agent.permission_request' && content.payload.session_id !== sessionId) {
    return { kind: 'other-agent', name: content.payload.agent.name };
  }
  if (actor.type === 'agent') {
    return { kind: 'agent' };
  }
  return actor.type === 'user' && actor.id !== null
    ? { kind: 'person', userId: actor.id }
    : { kind: 'platform' };
}
