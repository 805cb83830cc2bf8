import * as z from 'zod';
import { type SessionEvent, sessionEvent } from '../../contract/session-event.ts';

export const eventRow = z.object({
  id: z.string(),
  session_id: z.string(),
  seq: z.int(),
  type: z.string(),
  at: z.string(),
  actor_type: z.string(),
  actor_id: z.string().nullable(),
  payload: z.unknown(),
});

export function presentEvent(row: z.infer<typeof eventRow>): SessionEvent {
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
