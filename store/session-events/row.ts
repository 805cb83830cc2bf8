import { type SessionEvent, sessionEvent } from '../../contract/session-event.ts';

export interface EventRow {
  id: string;
  session_id: string;
  seq: number;
  type: string;
  at: string;
  actor_type: string;
  actor_id: string | null;
  payload: unknown;
}

export function presentEvent(row: EventRow): SessionEvent {
  return sessionEvent.parse({
    id: row.id,
    seq: row.seq,
    session_id: row.session_id,
    type: row.type,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id },
    payload: row.payload,
  });
}
