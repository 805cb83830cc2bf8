/** Gated calls that nobody reported, because their sidecar is gone with its spool: their checks are on record. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import { type Db, inTransaction, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { withSessionsOfAgent } from '../sessions/of-agent.ts';
import { insertRecords, notRemoved } from './insert-records.ts';

/** The launch of a session uses grants, too, without a server; and so does a platform tool, whose calls its sidecar records under ids of its own. */
const recordUnreported = insertRecords(`
    select u.call_id, s.workspace_id, 'session.mcp.tool_called', u.at, 'agent', s.agent_id, 'mcp_server', u.server, u.server, $1,
      jsonb_build_object('name', u.server, 'tool', u.tool, 'duration_ms', 0, 'granted_via', u.grant_id, 'outcome', 'unknown')
    from grant_uses u join sessions s on s.id = u.session_id
    where u.session_id = $1 and u.server not in ('', '${platformServerName}')
      and not exists (select from audit_events e where e.id = u.call_id) and ${notRemoved('u.call_id')}
    order by u.at, u.call_id`);

/**
 * Adds each call that passed its check and has no record to the audit trail, as `unknown`. Call it once nothing of the session is
 * left that could report more. Changes nothing for a session that runs. Idempotent; a later report of such a call is ignored.
 */
export function settleCalls(db: Db, sessionId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    // Waits for checks under way, whose rows the next statement then sees; later ones are refused by a trigger of the table.
    const ended = trx('sessions').where({ id: sessionId }).whereNotNull('ended_at').forUpdate().first('id');
    if ((await ended) !== undefined) {
      await prepared(trx, 'record_unreported_calls', recordUnreported, [sessionId]);
      await trx('sessions').where({ id: sessionId }).update({ calls_settled_at: trx.fn.now() });
    }
  });
}

/** Ended sessions that were not settled, latest first. */
export function listUnsettledSessionIds(db: Db, { limit }: { limit: number }): Promise<string[]> {
  return db('sessions')
    .whereNotNull('ended_at')
    .whereNull('calls_settled_at')
    .orderBy('ended_at', 'desc')
    .limit(limit)
    .pluck('id');
}

/** Those that go with an agent. */
export async function listUnsettledSessionsOfAgent(db: Db, agentId: string): Promise<string[]> {
  const statement = db.raw(
    `${withSessionsOfAgent}
     select id from affected where ended_at is not null and calls_settled_at is null order by id`,
    [agentId],
  );
  return (await readRows(statement, z.object({ id: uuid }))).map(({ id }) => id);
}
