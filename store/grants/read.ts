/** Grants, one by one and in lists. */
import type { Grant, GrantState, GrantType, SecretGrantType, StoredGrant } from '../../contract/grant.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readRows } from '../read-rows.ts';
import { type GrantListFilter, whereListed } from './list-filter.ts';
import { grantColumns, grantRow, presentGrant, presentStoredGrant } from './row.ts';
import { grantsIn } from './states.ts';

/** One grant, or null. A row that does not parse is not a grant. */
export async function readGrant(db: Db, id: string): Promise<Grant | null> {
  const row = await db('grants').where({ id }).first(grantColumns);
  return row === undefined ? null : presentGrant(row);
}

/** One row of the workspace for people to see, also when it does not parse; or null. */
export async function readStoredGrant(db: Db, workspaceId: string, id: string): Promise<StoredGrant | null> {
  const row = await db('grants').where({ id, workspace_id: workspaceId }).first(grantColumns);
  return row === undefined ? null : presentStoredGrant(row);
}

/** As `readStoredGrant`, of several, in the order of the ids; without those that are not there. */
export async function readStoredGrants(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<StoredGrant[]> {
  const rows = await db('grants')
    .where({ workspace_id: workspaceId })
    .whereIn('id', ids)
    .select(grantColumns);
  const found = new Map(rows.map(presentStoredGrant).map((grant) => [grant.id, grant]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Whether the grant permits one call alone. */
export async function isBoundToCall(db: Db, id: string | null): Promise<boolean> {
  const row = id === null ? undefined : await db('grants').where({ id }).first('bound_call_digest');
  return (row?.bound_call_digest ?? null) !== null;
}

interface GrantFilter extends GrantListFilter {
  userSubjectId?: string | undefined;
  agentSubjectId?: string | undefined;
  grantType?: GrantType | undefined;
  sessionId?: string | undefined;
  grantedByRole?: WorkspaceRole | undefined;
  /** Only `tool_scope` grants of one of these scopes. */
  toolScopes?: readonly string[] | undefined;
  state?: GrantState | undefined;
  includeRevoked: boolean;
}

/** Newest first, also rows that do not parse. Throws InvalidCursorError. */
export async function listGrants(
  db: Db,
  workspaceId: string,
  filter: GrantFilter,
  page: PageQuery,
): Promise<Page<StoredGrant>> {
  const query = grantsIn(db, filter.state).where({ workspace_id: workspaceId });
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
  if (filter.grantedByRole !== undefined) {
    query.where('granted_by_role', filter.grantedByRole);
  }
  if (filter.toolScopes !== undefined) {
    query
      .where('grant_type', 'tool_scope')
      .whereRaw(`details ->> 'scope' = any(?)`, [[...filter.toolScopes]]);
  }
  whereListed(query, filter);
  if (!filter.includeRevoked) {
    query.whereNull('revoked_at');
  }
  const { items, nextCursor } = await pageByTime(db, query, grantRow, 'granted_at', page);
  return { items: items.map(presentStoredGrant), nextCursor };
}

/** Active grants of an agent, also rows that do not parse. */
export async function listActiveGrantsOfAgent(db: Db, agentId: string): Promise<StoredGrant[]> {
  const rows = await db('active_grants')
    .where({ agent_subject_id: agentId })
    .orderBy('granted_at')
    .select(grantColumns);
  return rows.map(presentStoredGrant);
}

/** Active grants that let other agents start this one, also rows that do not parse. */
export async function listActiveGrantsToStart(
  db: Db,
  { workspaceId, agentId }: { workspaceId: string; agentId: string },
): Promise<StoredGrant[]> {
  const rows = await db('active_grants')
    .where({ workspace_id: workspaceId, grant_type: 'spawn' })
    .whereRaw(`details ->> 'child_agent_id' = ?`, [agentId])
    .orderBy('granted_at')
    .select(grantColumns);
  return rows.map(presentStoredGrant);
}

/**
 * Active grants of one type that cover a session: held by its agent, or by the user who drives it directly.
 * Empty once the session has ended, and for a session that does not exist.
 */
export async function listActiveGrantsOfSession(
  db: Db,
  sessionId: string,
  grantType: GrantType,
): Promise<Grant[]> {
  const query = db('active_grants as grants')
    .join('sessions as s', 's.workspace_id', 'grants.workspace_id')
    .where('s.id', sessionId)
    .whereNull('s.ended_at')
    .where('grants.grant_type', grantType)
    .whereRaw('(grants.agent_subject_id = s.agent_id or grants.user_subject_id = s.operator_id)')
    .whereRaw('(grants.session_id is null or grants.session_id = s.id)')
    .whereRaw('(grants.bound_session_id is null or grants.bound_session_id = s.id)')
    .orderBy('grants.granted_at')
    .select(grantColumns.map((column) => `grants.${column}`));
  const rows = await readRows(query, grantRow);
  return rows.flatMap((row) => presentGrant(row) ?? []);
}

export interface SecretGrants {
  sessionId: string;
  grantType: SecretGrantType;
  /** Of a `model_key` grant: the one that it was made for; null of others. */
  endpoint: string | null;
}

/**
 * Active grants that let this session's agent hold a secret, or use it as the key of its model access at that
 * endpoint.
 */
export async function listSecretGrants(
  db: Db,
  { sessionId, grantType, endpoint }: SecretGrants,
): Promise<Grant[]> {
  const grants = await listActiveGrantsOfSession(db, sessionId, grantType);
  return grants.filter(({ details }) => (details['endpoint'] ?? null) === endpoint);
}

/** Names of the secrets that they are about. */
export async function readGrantedSecrets(db: Db, wanted: SecretGrants): Promise<Set<string>> {
  return new Set((await listSecretGrants(db, wanted)).map(secretNameOf));
}

/** The secret that such a grant is about. */
export const secretNameOf = (grant: Grant) => String(grant.details['secret_name']);
