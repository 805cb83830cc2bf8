import type { Grant, GrantState, GrantType } from '../../contract/grant.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { type GrantRow, grantColumns, presentGrant } from './row.ts';

/** One grant, or null; with `workspaceId` only when it is of that workspace. A row that does not parse is no grant. */
export async function readGrant(
  db: Db,
  id: string,
  within: { workspaceId?: string } = {},
): Promise<Grant | null> {
  const query = db<GrantRow>('grants').where({ id });
  if (within.workspaceId !== undefined) {
    query.where('workspace_id', within.workspaceId);
  }
  const row = await query.first([...grantColumns]);
  return row === undefined ? null : presentGrant(row);
}

export interface GrantFilter {
  userSubjectId?: string | undefined;
  agentSubjectId?: string | undefined;
  grantType?: GrantType | undefined;
  sessionId?: string | undefined;
  /** Only those that stand like this; otherwise all but revoked ones, and these too with `includeRevoked`. */
  state?: GrantState | undefined;
  includeRevoked: boolean;
}

const sessionEnded = `(scope = 'session' and session_id in (select id from sessions where ended_at is not null))`;
const conditionByState: Record<GrantState, string> = {
  revoked: 'revoked_at is not null',
  consumed: 'revoked_at is null and consumed_at is not null',
  expired: `revoked_at is null and consumed_at is null and ${sessionEnded}`,
  active: `revoked_at is null and consumed_at is null and not ${sessionEnded}`,
};

/** Newest first; rows that do not parse are left out. Throws InvalidCursorError. */
export async function listGrants(
  db: Db,
  workspaceId: string,
  filter: GrantFilter,
  page: PageQuery,
): Promise<Page<Grant>> {
  const query = db('grants').where({ workspace_id: workspaceId });
  if (filter.userSubjectId !== undefined) {
    query.where('user_subject_id', filter.userSubjectId);
  }
  if (filter.agentSubjectId !== undefined) {
    query.where('agent_subject_id', filter.agentSubjectId);
  }
  if (filter.grantType !== undefined) {
    query.where('grant_type', filter.grantType);
  }
  if (filter.sessionId !== undefined) {
    query.where('session_id', filter.sessionId);
  }
  if (filter.state !== undefined) {
    query.whereRaw(conditionByState[filter.state]);
  } else if (!filter.includeRevoked) {
    query.whereNull('revoked_at');
  }
  const { items, nextCursor } = await pageByTime<GrantRow>(db, query, grantColumns, 'granted_at', page);
  return { items: items.flatMap((row) => presentGrant(row) ?? []), nextCursor };
}

/** Grants that an agent holds and that were neither revoked nor consumed. */
export async function listActiveGrantsOfAgent(db: Db, agentId: string): Promise<Grant[]> {
  const rows = await db<GrantRow>('grants')
    .where({ agent_subject_id: agentId })
    .whereNull('revoked_at')
    .whereNull('consumed_at')
    .orderBy('granted_at')
    .select([...grantColumns]);
  return rows.flatMap((row) => presentGrant(row) ?? []);
}

/**
 * Active grants of one type that cover a session: held by its agent, or by the user who drives it directly (design 7).
 * Empty once the session has ended, and for a session that does not exist.
 */
export async function listActiveGrantsOfSession(
  db: Db,
  sessionId: string,
  grantType: GrantType,
): Promise<Grant[]> {
  const rows = await db<GrantRow>('grants')
    .join('sessions as s', 's.workspace_id', 'grants.workspace_id')
    .where('s.id', sessionId)
    .whereNull('s.ended_at')
    .where('grants.grant_type', grantType)
    .whereRaw('(grants.agent_subject_id = s.agent_id or grants.user_subject_id = s.operator_id)')
    .whereRaw('(grants.session_id is null or grants.session_id = s.id)')
    .whereRaw('(grants.bound_session_id is null or grants.bound_session_id = s.id)')
    .whereNull('grants.revoked_at')
    .whereNull('grants.consumed_at')
    .orderBy('grants.granted_at')
    .select<GrantRow[]>(grantColumns.map((column) => `grants.${column}`));
  return rows.flatMap((row) => presentGrant(row) ?? []);
}
