/** What rules of the operator look at, and what they did lately (docs/sign-in.md#groups). */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type MemberSource, type WorkspaceRole, workspaceRole } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { memberSourceOf } from './members.ts';

/** A workspace that a rule names, or in which a rule made the person a member; with their membership. */
export interface RuledWorkspace {
  id: string;
  slug: string;
  isClosed: boolean;
  membership: { role: WorkspaceRole; made_by: MemberSource } | null;
}

const ruledRow = z
  .object({
    id: uuid,
    slug: z.string(),
    is_closed: z.boolean(),
    role: workspaceRole.nullable(),
    by_rule: z.boolean().nullable(),
  })
  .transform(
    ({ id, slug, is_closed: isClosed, role, by_rule: byRule }): RuledWorkspace => ({
      id,
      slug,
      isClosed,
      membership: role === null ? null : { role, made_by: memberSourceOf(byRule === true) },
    }),
  );

/** Those of these slugs that exist, and those where a rule made the person a member. */
export async function listRuledWorkspaces(
  db: Db,
  userId: string,
  slugs: readonly string[],
): Promise<RuledWorkspace[]> {
  const query = db.raw(
    `select w.id, w.slug, w.closed_at is not null as is_closed, m.role, m.by_rule
     from workspaces w left join members m on m.workspace_id = w.id and m.user_id = :userId
     where w.slug = any(:slugs) or m.by_rule order by w.id`,
    { userId, slugs: [...slugs] },
  );
  return readRows(query, ruledRow);
}

/**
 * Locks the workspaces as a change of a member does, in the order of their ids: two people's changes do not
 * wait for each other in a circle.
 */
export async function lockWorkspacesForMembers(trx: Transaction, ids: readonly string[]): Promise<void> {
  await trx('workspaces')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .select('id');
}

/**
 * How many members a workspace has, and how many rules removed there or made members again within the last
 * hour, each person once; `gone`: those of them who are not members now.
 */
export async function countRuleLosses(
  trx: Transaction,
  workspaceId: string,
): Promise<{ members: number; lost: number; gone: number }> {
  const query = trx.raw(
    `with lost as (
       select distinct resource_id as id from audit_events
       where workspace_id = :workspaceId and recorded_at > now() - interval '1 hour'
         and event in ('workspace.member.removed', 'workspace.member.role_changed')
         and (data ->> 'lost_by_rule')::boolean),
       now as (select user_id::text as id from members where workspace_id = :workspaceId)
     select (select count(*) from now)::int as members, (select count(*) from lost)::int as lost,
       (select count(*) from lost where id::text not in (select id from now))::int as gone`,
    { workspaceId },
  );
  return onlyRow(await readRows(query, z.object({ members: z.int(), lost: z.int(), gone: z.int() })));
}

/** Whether it is in the audit trail of the last day that rules were held back for this person and reason. */
export async function wasHeldBackLately(
  db: Db,
  { workspaceId, userId, reason }: { workspaceId: string; userId: string; reason: string },
): Promise<boolean> {
  const found = await db('audit_events')
    .where({ workspace_id: workspaceId, event: 'workspace.member.rules_held_back', resource_id: userId })
    .whereRaw(`data ->> 'reason' = ?`, [reason])
    .whereRaw(`recorded_at > now() - interval '1 day'`)
    .first('id');
  return found !== undefined;
}

/** Whether it was a person, not a rule, who removed this one last. */
export async function wasRemovedByPerson(
  db: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<boolean> {
  const last = await db('audit_events')
    .where({ workspace_id: workspaceId, event: 'workspace.member.removed', resource_id: userId })
    .orderBy('position', 'desc')
    .first('actor_type');
  return last?.actor_type === 'user';
}

/** How many members rules made, by the workspace's slug. */
export async function countMadeByRules(db: Db): Promise<{ slug: string; members: number }[]> {
  const query = db('members as m')
    .join('workspaces as w', 'w.id', 'm.workspace_id')
    .where('m.by_rule', true)
    .groupBy('w.slug')
    .orderBy('w.slug')
    .select('w.slug', db.raw('count(*)::int as members'));
  return readRows(query, z.object({ slug: z.string(), members: z.int() }));
}
