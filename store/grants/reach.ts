/**
 * What a session of an agent could use without asking: its operator's own grants, and
 * those that the agent holds.
 */
import type { Knex } from 'knex';
import * as z from 'zod';
import { type Grant, grantType } from '../../contract/grant.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { OpenedTools } from '../../contract/session-event.ts';
import { scopesOfAttached, toolsOfAttached } from '../attachments/attached-scopes.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readRows } from '../read-rows.ts';
import { noTools } from './first-tools.ts';
import { grantRow, presentGrant } from './row.ts';
import { scopesThatNeedAdmin } from './scopes.ts';

/** Includes the tools that a `tool_scope` grant opens on the agent's currently attached servers. */
export type Reached = { grant: Grant } & OpenedTools;

interface Start {
  workspaceId: string;
  agentId: string;
  userId: string;
}

/**
 * Of a grant that the agent holds and another member made: it opens no tools of servers that people sign in
 * to (`fitting-grant.ts`).
 */
const isOfAnother = `(agent_subject_id is not null and granted_by_role <> 'admin' and granted_by_user_id <> :userId)`;

/**
 * The active grants that a new session of the agent could use while that user drives it, whoever holds them,
 * newest first. A grant for another session, or bound to a call of one, is excluded, as is a member's for a
 * scope that is restricted to admins, and what opens no tool. Throws InvalidCursorError.
 */
export async function listReach(db: Db, start: Start, page: PageQuery): Promise<Page<Reached>> {
  const { agentId, userId } = start;
  const held = await scopesHeld(db, start);
  const gated = await scopesOfAttached(db, agentId, held);
  const withoutSignIn = await scopesOfAttached(db, agentId, held, { withoutSignIn: true });
  const adminOnlyScopes = await scopesThatNeedAdmin(db, start.workspaceId, gated);
  const forMembers = gated.filter((scope) => !adminOnlyScopes.has(scope));
  const query = standingGrants(db, start).whereRaw(
    `(grant_type <> 'tool_scope' or (
       (granted_by_role = 'admin' and details ->> 'scope' = any(:gated) or details ->> 'scope' = any(:forMembers))
       and (not ${isOfAnother} or details ->> 'scope' = any(:withoutSignIn))
     ))`,
    { gated, forMembers, withoutSignIn, userId },
  );
  const { items, nextCursor } = await pageByTime(db, query, grantRow, 'granted_at', page);
  const grants = items.flatMap((row) => presentGrant(row) ?? []);
  const narrow = grants.filter((grant) => isNarrow(grant, userId));
  const tools = await toolsOf(db, agentId, grants, false);
  const narrowTools = narrow.length === 0 ? tools : await toolsOf(db, agentId, narrow, true);
  return {
    items: grants.map((grant) => {
      const opened = (isNarrow(grant, userId) ? narrowTools : tools).get(scopeOf(grant));
      return { grant, ...(opened ?? noTools) };
    }),
    nextCursor,
  };
}

/** As `isOfAnother`. */
const isNarrow = (grant: Grant, userId: string) =>
  grant.agent_subject_id !== null && grant.granted_by_role !== 'admin' && grant.granted_by_user_id !== userId;

function toolsOf(
  db: Db,
  agentId: string,
  grants: readonly Grant[],
  withoutSignIn: boolean,
): Promise<Map<string, OpenedTools>> {
  const scopes = grants.filter(({ grant_type: type }) => type === 'tool_scope').map(scopeOf);
  return toolsOfAttached(db, agentId, [...new Set(scopes)], { withoutSignIn });
}

async function scopesHeld(db: Db, start: Start): Promise<string[]> {
  const query = standingGrants(db, start)
    .where('grant_type', 'tool_scope')
    .distinct(db.raw(`details ->> 'scope' as scope`));
  const rows = await readRows(query, z.object({ scope: z.string().nullable() }));
  return rows.flatMap(({ scope }) => scope ?? []);
}

/** An agent that is no orchestrator starts nothing, whatever it holds. */
function standingGrants(db: Db, { workspaceId, agentId, userId }: Start): Knex.QueryBuilder {
  return db('active_grants')
    .where({ workspace_id: workspaceId })
    .whereRaw(
      `(agent_subject_id = :agentId or (user_subject_id = :userId and grant_type = 'tool_scope'))
       and (grant_type <> 'spawn' or exists (select from agents where id = :agentId and kind = 'orchestrator'))`,
      { agentId, userId },
    )
    .whereIn('grant_type', grantType.options)
    .whereIn('scope', ['once', 'persistent'])
    .whereNull('bound_session_id');
}

const scopeOf = ({ details: { scope } }: Grant) => String(scope);
