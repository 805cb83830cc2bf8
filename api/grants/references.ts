/** What the body of `POST /grants` refers to, all of it in the same workspace. */
import { agentArchivedProblem } from '../../commands/agents/archive.ts';
import { allModelEndpoints } from '../../config/model-endpoints.ts';
import type { Agent } from '../../contract/agent.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { type GrantInput, secretGrantType } from '../../contract/grant.ts';
import { findEndpoint, noSuchEndpoint } from '../../contract/model-endpoint.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { readAgent } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database.ts';
import { readMember } from '../../store/members/members.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { isSharedWithWorkspace, readSession } from '../../store/sessions/sessions.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { invalid } from '../errors.ts';
import type { InWorkspace } from '../route.ts';

export interface GrantReferences {
  /** The agent that will hold the grant. */
  agent: Agent | null;
  /** The session of a `session` grant. */
  session: (Session & { isShared: boolean }) | null;
}

/** Reads subjects, session and what the details name. Throws 422 with each invalid reference. */
export async function readReferences(
  { db, config }: Pick<ApiDependencies, 'db' | 'config'>,
  { workspace: { id: workspaceId, slug } }: Pick<InWorkspace, 'workspace'>,
  input: GrantInput,
): Promise<GrantReferences> {
  const agent = await agentIn(db, workspaceId, input.agent_subject_id);
  const session = input.session_id === null ? null : await readSession(db, input.session_id);
  const problems = [
    ...(await subjectProblems(db, workspaceId, input, agent)),
    ...sessionProblems(workspaceId, input, session),
    ...(await detailProblems(db, workspaceId, input)),
    ...endpointProblems(config, slug, input),
  ];
  if (problems.length > 0) {
    throw invalid(problems);
  }
  const isShared = session !== null && (await isSharedWithWorkspace(db, session.id));
  return { agent, session: session && { ...session, isShared } };
}

const unknown = (path: string, message: string): FieldProblem => ({
  path,
  code: 'unknown_reference',
  message,
});

async function agentIn(db: Db, workspaceId: string, id: unknown): Promise<Agent | null> {
  const agent = typeof id === 'string' ? await readAgent(db, id) : null;
  return agent?.workspace_id === workspaceId ? agent : null;
}

const archivedProblems = (path: string, { archived_at: at }: Agent): FieldProblem[] =>
  at === null ? [] : [agentArchivedProblem(path)];

async function subjectProblems(
  db: Db,
  workspaceId: string,
  input: GrantInput,
  agent: Agent | null,
): Promise<FieldProblem[]> {
  if (input.agent_subject_id !== null) {
    return agent === null
      ? [unknown('agent_subject_id', 'there is no such agent in this workspace')]
      : archivedProblems('agent_subject_id', agent);
  }
  const member = await readMember(db, workspaceId, input.user_subject_id ?? '');
  return member === null ? [unknown('user_subject_id', 'there is no such member of this workspace')] : [];
}

/**
 * A `session` grant whose subject is neither the agent nor the operator of that session would never apply.
 */
function sessionProblems(workspaceId: string, input: GrantInput, session: Session | null): FieldProblem[] {
  if (input.session_id === null) {
    return [];
  }
  if (session?.workspace_id !== workspaceId) {
    return [unknown('session_id', 'there is no such session in this workspace')];
  }
  if (isTerminal(session.status)) {
    return [{ path: 'session_id', code: 'session_ended', message: 'the session has ended' }];
  }
  const subject = input.agent_subject_id ?? input.user_subject_id;
  return subject === session.agent_id || subject === session.operator_id
    ? []
    : [unknown('session_id', 'is a session of another agent, which another user drives')];
}

async function detailProblems(db: Db, workspaceId: string, input: GrantInput): Promise<FieldProblem[]> {
  const { child_agent_id: child, secret_name: secret } = input.details;
  if (input.grant_type === 'spawn') {
    const path = 'details.child_agent_id';
    const agent = await agentIn(db, workspaceId, child);
    return agent === null
      ? [unknown(path, 'there is no such agent in this workspace')]
      : archivedProblems(path, agent);
  }
  if (secretGrantType.safeParse(input.grant_type).success && typeof secret === 'string') {
    const known = await readKnownSecrets(db, workspaceId, [secret]);
    return known.has(secret)
      ? []
      : [unknown('details.secret_name', 'there is no such secret in this workspace')];
  }
  return [];
}

/** A key is granted for an endpoint that there is: one of that name may be listed later, for anything. */
function endpointProblems(
  config: ApiDependencies['config'],
  slug: string,
  { grant_type: type, details: { endpoint } }: GrantInput,
): FieldProblem[] {
  return type !== 'model_key' ||
    typeof endpoint !== 'string' ||
    findEndpoint(allModelEndpoints(config), endpoint, slug) !== null
    ? []
    : [unknown('details.endpoint', noSuchEndpoint(endpoint))];
}
