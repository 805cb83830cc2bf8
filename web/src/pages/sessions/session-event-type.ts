/** Session events with their payloads as the contract has them. Pure. */
import type * as z from 'zod';
import { payloadByEventType, type SessionEventType } from '../../../../contract/session-event.ts';
import type { SessionEvent } from '../../api/types.ts';

export type EventContent = {
  [T in SessionEventType]: { type: T; payload: z.infer<(typeof payloadByEventType)[T]> };
}[SessionEventType];

export type PayloadOf<T extends SessionEventType> = z.infer<(typeof payloadByEventType)[T]>;

/** `content` is null for an event that this page does not know: it is shown as it is. */
export interface TranscriptEvent extends SessionEvent {
  content: EventContent | null;
}

/** The platform may be newer than the page: an event that does not parse stays in the transcript. */
export function readEvent(event: SessionEvent): TranscriptEvent {
  const parsed = payloadByEventType[event.type]?.safeParse(event.payload);
  const content =
    parsed?.success === true ? ({ type: event.type, payload: parsed.data } as EventContent) : null;
  return { ...event, content };
}
