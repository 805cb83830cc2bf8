/** What a session of an agent would reach through its operator's own grants. */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { Grant } from '../../contract/grant.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { OpenedTools } from '../../contract/session-event.ts';
import { scopesOfAttached, toolsOfAttached } from '../attachments/attached-scopes.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { readRows } from '../read-rows.ts';
import { noTools } from './first-tools.ts';
import { grantRow, presentGrant } from './row.ts';
import { scopesThatNeedAdmin } from './scope-approvers.ts';

/** Includes the tools that the grant opens on the agent's currently attached servers. */
export type Reached = { grant: Grant } & OpenedTools;

interface Start {
  workspaceId: string;
  agentId: string;
  userId: string;
}

/**
 * The user's active `tool_scope` grants that a new session of the agent could use while that user drives it, newest
 * first. A grant for another session, or bound to a call of one, is excluded, as is a member's for a scope that is
 * restricted to admins. Throws InvalidCursorError.
 */
export async function listReach(db: Db, start: Start, page: PageQuery): Promise<Page<Reached>> {
  const gated = await scopesOfAttached(db, start.agentId, await scopesHeld(db, start));
  const adminOnlyScopes = await scopesThatNeedAdmin(db, start.workspaceId, gated);
  const forMembers = gated.filter((scope) => !adminOnlyScopes.has(scope));
  const query = standingGrants(db, start).whereRaw(
    `(details ->> 'scope' = any(?) or granted_by_role = 'admin' and details ->> 'scope' = any(?))`,
    [forMembers, gated],
  );
  const { items, nextCursor } = await pageByTime(db, query, grantRow, 'granted_at', page);
  const grants = items.flatMap((row) => presentGrant(row) ?? []);
  const tools = await toolsOfAttached(db, start.agentId, [...new Set(grants.map(scopeOf))]);
  return {
    items: grants.map((grant) => ({ grant, ...(tools.get(scopeOf(grant)) ?? noTools) })),
    nextCursor,
  };
}

async function scopesHeld(db: Db, start: Start): Promise<string[]> {
  const query = standingGrants(db, start).distinct(db.raw(`details ->> 'scope' as scope`));
  const rows = await readRows(query, z.object({ scope: z.string().nullable() }));
  return rows.flatMap(({ scope }) => scope ?? []);
}

function standingGrants(db: Db, { workspaceId, userId }: Start): Knex.QueryBuilder {
  return db('active_grants')
    .where({ workspace_id: workspaceId, user_subject_id: userId, grant_type: 'tool_scope' })
    .whereIn('scope', ['once', 'persistent'])
    .whereNull('bound_session_id');
}

const scopeOf = ({ details: { scope } }: Grant) => String(scope);
