import type { FieldProblem } from '../../contract/errors.ts';
import type { GrantState, StoredGrant } from '../../contract/grant.ts';
import type { Db } from '../../store/database.ts';
import { scopesNamed, scopesOfSignIns, scopesThatNeedAdmin } from '../../store/grants/scopes.ts';
import { type AgentOfSpawn, readAgentsOfSpawn } from '../../store/grants/spawn-effect.ts';

/** Facts about the scopes and agents of some grants in the workspace's current state. */
export interface ScopeFacts {
  /** Something gates on them. */
  named: ReadonlySet<string>;
  /** Only an admin's grant counts for them. */
  adminOnlyScopes: ReadonlySet<string>;
  /** They gate tools of a server that people sign in to. */
  signInScopes: ReadonlySet<string>;
  /** The agents of `spawn` grants, by id. */
  agents: ReadonlyMap<string, AgentOfSpawn>;
}

export async function readScopeFacts(
  db: Db,
  workspaceId: string,
  grants: readonly StoredGrant[],
): Promise<ScopeFacts> {
  const scopes = grants.flatMap((grant) => scopeOf(grant) ?? []);
  return {
    named: await scopesNamed(db, workspaceId, scopes),
    adminOnlyScopes: await scopesThatNeedAdmin(db, workspaceId, scopes),
    signInScopes: await scopesOfSignIns(db, workspaceId, scopes),
    agents: await readAgentsOfSpawn(db, workspaceId, grants.flatMap(agentsOf)),
  };
}

/**
 * Warns about a grant that has no effect. A grant may exist before anything gates on its scope, so a misspelt
 * scope is accepted too.
 */
export function grantWarnings(grant: StoredGrant, state: GrantState, facts: ScopeFacts): FieldProblem[] {
  if (!grant.readable) {
    const message = 'does not fit the type of the grant, so the grant permits nothing';
    return [{ path: 'details', code: 'unreadable_details', message }];
  }
  if (state === 'active' && grant.grant_type === 'spawn') {
    return spawnWarnings(grant, facts);
  }
  const scope = scopeOf(grant);
  if (scope === null || state !== 'active') {
    return [];
  }
  const warnings: FieldProblem[] = [];
  if (!facts.named.has(scope)) {
    const message = `no MCP server of this workspace has a tool that needs ${scope}, so the grant opens nothing now`;
    warnings.push({ path: 'details.scope', code: 'unknown_scope', message });
  }
  if (grant.granted_by_role === 'member' && facts.adminOnlyScopes.has(scope)) {
    const message = `${scope} is admin-only and a member made the grant, so no call passes on it now`;
    warnings.push({ path: 'granted_by_role', code: 'needs_admin', message });
  }
  if (
    grant.granted_by_role === 'member' &&
    grant.agent_subject_id !== null &&
    facts.signInScopes.has(scope)
  ) {
    const message = `people sign in to a server whose tools need ${scope}, and a member made the grant, so calls of those tools pass on it only in sessions that this member drives`;
    warnings.push({ path: 'granted_by_role', code: 'own_sign_in', message });
  }
  return warnings;
}

function spawnWarnings(grant: StoredGrant, { agents }: ScopeFacts): FieldProblem[] {
  const warnings: FieldProblem[] = [];
  const [holder = '', child = ''] = agentsOf(grant);
  if (agents.get(holder)?.startsOthers !== true) {
    const message =
      'only an agent of the kind "orchestrator" starts sessions, and the holder is none, so the grant permits nothing now';
    warnings.push({ path: 'agent_subject_id', code: 'not_orchestrator', message });
  }
  if (agents.get(child)?.isStartable !== true) {
    const message =
      'no session can start the agent: it is archived, removed, or attaches a remote server, which needs a person, so the grant permits nothing now';
    warnings.push({ path: 'details.child_agent_id', code: 'not_startable', message });
  }
  return warnings;
}

/** Of a `spawn` grant: its holder, and whom it lets that start. */
const agentsOf = ({ grant_type: type, agent_subject_id: holder, details }: StoredGrant): string[] =>
  type === 'spawn' ? [holder ?? '', String(details['child_agent_id'])] : [];

/** The scope of a `tool_scope` grant; null for any other. */
export const scopeOf = ({ grant_type: type, details: { scope } }: StoredGrant): string | null =>
  type === 'tool_scope' && typeof scope === 'string' ? scope : null;
