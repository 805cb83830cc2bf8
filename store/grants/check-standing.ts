import type { Knex } from 'knex';
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { hasSqlState, prepared, sqlState } from '../database.ts';
import { readRows } from '../read-rows.ts';
import type { CheckedCall } from './check-and-consume.ts';
import {
  fittingGrant,
  inOpenWorkspace,
  isInTime,
  revokeKey,
  signsInTo,
  standingGrant,
} from './fitting-grant.ts';

/**
 * Lets those calls of one session pass that a standing grant covers, by the rules of
 * `check-and-consume`, and records their uses.
 * - `standing`: chosen once for each tool, and locked until the uses are recorded. A grant that somebody
 *   changes, or waits to revoke, is skipped, never waited for: this statement locks several rows, so waiting
 *   could deadlock with whoever revokes several.
 * - `used`: in the order of the ids, so that two statements with the same calls wait for each
 *   other in one direction only.
 * - `prior`: a repeated call passes on the grant that it used, unless that was revoked, has expired before
 *   the call was forwarded, or permits one call alone: `check-and-consume` looks at it.
 */
export const checkStandingStatement = `
  with asked as materialized (
    select call_id, server, tool, unforwarded
    from unnest($2::uuid[], $3::text[], $4::text[], $5::boolean[]) as asked (call_id, server, tool, unforwarded)
  ), prior as materialized (
    select call_id, grant_id, session_id, server, tool from grant_uses where call_id = any ($2::uuid[])
  ), caller as materialized (
    select id, workspace_id, agent_id, operator_id, root_operator_id from sessions s where id = $1 and ended_at is null and ${inOpenWorkspace('s')}
  ), gate as materialized (
    select t.server, t.tool, t.scope from session_tools t
    where t.session_id = $1 and (t.server, t.tool) in (select server, tool from asked)
  ), standing as materialized (
    select gate.server, gate.tool, chosen.id as grant_id
    from caller c cross join gate cross join lateral (
      select held.id from active_grants held
      where held.id = (
        select g.id from active_grants g
        where ${fittingGrant({
          server: 'gate.server',
          tool: 'gate.tool',
          scope: 'gate.scope',
          adminOnly: `(exists (
            select from admin_only_scopes a where a.session_id = $1 and a.server = gate.server and a.tool = gate.tool
          ) or exists (
            select from admin_only_scopes a
            where a.session_id is null and a.workspace_id = c.workspace_id and a.scope = gate.scope
          ))`,
          signsIn: signsInTo('$1', 'gate.server'),
        })} and ${standingGrant.condition}
        order by ${standingGrant.order} limit 1
      ) and pg_try_advisory_xact_lock_shared(${revokeKey('held.id')})
      for share of held skip locked
    ) as chosen
  ), used as (
    insert into grant_uses (call_id, grant_id, session_id, server, tool)
    select a.call_id, s.grant_id, $1, a.server, a.tool from asked a join standing s on s.server = a.server and s.tool = a.tool
    where not exists (select from prior p where p.call_id = a.call_id)
    order by a.call_id
    on conflict (call_id) do nothing
    returning call_id, grant_id
  )
  select call_id, grant_id from used
  union all
  select p.call_id, p.grant_id from prior p
  join asked a on a.call_id = p.call_id and a.server = p.server and a.tool = p.tool
  join grants g on g.id = p.grant_id and g.revoked_at is null and g.bound_call_digest is null
    and (not a.unforwarded or ${isInTime('g')})
  join caller c on c.id = p.session_id`;

type StandingCall = Pick<CheckedCall, 'callId' | 'server' | 'tool' | 'unforwarded'>;

/** The values of the statement, in the order of its parameters. */
export const standingValues = (sessionId: string, calls: readonly StandingCall[]) => [
  sessionId,
  calls.map(({ callId }) => callId),
  calls.map(({ server }) => server),
  calls.map(({ tool }) => tool),
  calls.map(({ unforwarded }) => unforwarded === true),
];

const passed = z.object({ call_id: uuid, grant_id: uuid });

/**
 * The grants of those calls that pass on a standing one, by call id. Nothing is said of the
 * others: `checkAndConsume` decides on each. Takes the pool, not a transaction: what passes is
 * committed when this returns.
 */
export async function checkStanding(
  db: Knex,
  sessionId: string,
  calls: readonly StandingCall[],
): Promise<ReadonlyMap<string, string>> {
  const values = standingValues(sessionId, calls);
  const rows = await readRows(prepared(db, 'check_standing', checkStandingStatement, values), passed).catch(
    (error: unknown) => {
      // The session, or the time of a grant, has ended since the statement began: none passes.
      if (hasSqlState(error, sqlState.checkViolation)) {
        return [];
      }
      throw error;
    },
  );
  return new Map(rows.map(({ call_id, grant_id }) => [call_id, grant_id]));
}
