/** What people are shown around a grant: whose it is, what it opens, and its uses. */
import * as z from 'zod';
import { type GrantState, grantState, type RevocationCause, revocationCause } from '../../contract/grant.ts';
import { type Named, timestamp, uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readRows } from '../read-rows.ts';
import { derivedId } from '../session-events/append.ts';
import { readableCondition } from '../sessions/conditions.ts';
import { namedOrNull } from '../sessions/context.ts';
import { stateOfGrant } from './states.ts';

/** Beyond this many, uses are not counted. */
export const mostUsesCounted = 1000;

export interface GrantContext {
  subjectName: string;
  /** Owner of the agent that holds it. */
  agentOwnerId: string | null;
  /** Also when their account was deleted since. */
  grantedBy: Named;
  /** Null unless a person revoked it. */
  revokedBy: Named | null;
  /** Null unless it was revoked. */
  revocationCause: RevocationCause | null;
  /** The session that the grant is for, or bound to. */
  session: {
    operator_id: string | null;
    root_operator_id: string | null;
    schedule_maker_id: string | null;
    isShared: boolean;
  } | null;
  state: GrantState;
  useCount: number;
  lastUsedAt: string | null;
}

const row = z.object({
  id: uuid,
  subject_name: z.string(),
  owner_id: uuid.nullable(),
  granter_id: uuid,
  granter_name: z.string().nullable(),
  revoker_id: uuid.nullable(),
  revoker_name: z.string().nullable(),
  cause: revocationCause.nullable(),
  session_id: uuid.nullable(),
  operator_id: uuid.nullable(),
  root_operator_id: uuid.nullable(),
  schedule_maker_id: uuid.nullable(),
  shared_with_workspace: z.boolean().nullable(),
  state: grantState,
  use_count: z.number(),
  last_used_at: timestamp.nullable(),
});

const statement = `
  select g.id, coalesce(holder.name, a.name) as subject_name, a.owner_id,
    g.granted_by_user_id as granter_id, granter.name as granter_name,
    revoker.id as revoker_id, revoker.name as revoker_name, e.data->>'cause' as cause,
    s.id as session_id, s.operator_id, s.root_operator_id, s.schedule_maker_id, s.shared_with_workspace,
    ${stateOfGrant} as state,
    uses.count as use_count,
    (select at from grant_uses where grant_id = g.id order by at desc limit 1) as last_used_at
  from unnest(:ids::uuid[], :revocations::uuid[]) as wanted(id, revocation)
  join grants g on g.id = wanted.id
  left join users granter on granter.id = g.granted_by_user_id
  left join users holder on holder.id = g.user_subject_id
  left join agents a on a.id = g.agent_subject_id
  left join sessions s on s.id = coalesce(g.session_id, g.bound_session_id)
  left join audit_events e on e.id = wanted.revocation
  left join users revoker on revoker.id = e.actor_id and e.actor_type = 'user'
  cross join lateral (
    select count(*) from (select from grant_uses where grant_id = g.id limit :mostUsesCounted) as counted
  ) as uses`;

/** By grant id; omits grants that were removed meanwhile. */
export async function readGrantContexts(
  db: Db,
  grantIds: readonly string[],
): Promise<Map<string, GrantContext>> {
  const revocations = grantIds.map((id) => derivedId(id, 'grant.revoked'));
  const rows = await readRows(db.raw(statement, { ids: [...grantIds], revocations, mostUsesCounted }), row);
  return new Map(rows.map((found) => [found.id, present(found)]));
}

function present(found: z.infer<typeof row>): GrantContext {
  const { operator_id, root_operator_id, schedule_maker_id, shared_with_workspace } = found;
  return {
    subjectName: found.subject_name,
    agentOwnerId: found.owner_id,
    grantedBy: { id: found.granter_id, name: found.granter_name ?? 'a deleted user' },
    revokedBy: namedOrNull(found.revoker_id, found.revoker_name),
    revocationCause: found.cause,
    session:
      found.session_id === null
        ? null
        : {
            operator_id,
            root_operator_id,
            schedule_maker_id,
            isShared: shared_with_workspace ?? false,
          },
    state: found.state,
    useCount: found.use_count,
    lastUsedAt: found.last_used_at,
  };
}

/** A call that a grant permitted; for an `agent_env` grant, a session that started with the secret. */
const grantUse = z.object({
  /** The call's id, as in the audit trail. */
  id: uuid,
  session_id: uuid,
  /** Both empty for a session that began. */
  server: z.string(),
  tool: z.string(),
  at: timestamp,
});
type GrantUse = z.infer<typeof grantUse>;

/**
 * Newest first; with `readableBy`, only in sessions that this user may read without being an admin. Throws
 * InvalidCursorError.
 */
export function listGrantUses(
  db: Db,
  grantId: string,
  { readableBy }: { readableBy: string | undefined },
  page: PageQuery,
): Promise<Page<GrantUse>> {
  const uses = db('grant_uses')
    .where({ grant_id: grantId })
    .select(
      'call_id as id',
      'session_id',
      'server',
      'at',
      db.raw(`case server when '' then '' else tool end as tool`),
    );
  if (readableBy !== undefined) {
    uses.whereRaw(`session_id in (select id from sessions where ${readableCondition})`, {
      userId: readableBy,
    });
  }
  return pageByTime(db, db.from(uses.as('uses')), grantUse, 'at', page);
}
