/** What makes a session wait for a person, in SQL over `sessions as s`. */
import { type SessionWait, sessionWait } from '../../contract/session.ts';
import type { Db } from '../database.ts';

const conditions: Record<SessionWait, string> = {
  approval: `s.ended_at is null and exists (
    select from permission_requests r where r.session_id = s.id and r.status = 'open')`,
  sign_in: `s.ended_at is null and exists (
    select from oauth_authorizations o where o.session_id = s.id and o.status = 'pending' and o.expires_at > now())`,
  answer: `s.ended_at is null and exists (
    select from input_requests i where i.session_id = s.id and i.answered_at is null)`,
};

/** Condition for sessions that wait for anybody. */
export const waitsForSomebody = Object.values(conditions)
  .map((condition) => `(${condition})`)
  .join(' or ');

/** Condition for sessions with this wait. A session may have several. */
export const waitsFor = (db: Db, wait: SessionWait) => db.raw(conditions[wait]);

/** Several at once give the first, without which the agent can do least. Null when it waits for nobody. */
export const waitingFor = (db: Db) =>
  db.raw(
    `case ${sessionWait.options.map((wait) => `when ${conditions[wait]} then '${wait}'`).join(' ')} end as waiting_for`,
  );
