/** What makes a session wait for a person, in SQL over `sessions as s`. */
import type { SessionWait } from '../../contract/session.ts';
import type { Db } from '../database.ts';

const conditions: Record<SessionWait, string> = {
  approval: `s.ended_at is null and exists (
    select from permission_requests r where r.session_id = s.id and r.status = 'open')`,
  answer: `s.ended_at is null and exists (
    select from input_requests i where i.session_id = s.id and i.answered_at is null)`,
};

/** Condition for sessions with this wait. A session may have both. */
export const waitsFor = (db: Db, wait: SessionWait) => db.raw(conditions[wait]);

/** Both at once give `approval`, without which the agent can do less. Null when it waits for nobody. */
export const waitingFor = (db: Db) =>
  db.raw(
    `case when ${conditions.approval} then 'approval' when ${conditions.answer} then 'answer' end as waiting_for`,
  );
