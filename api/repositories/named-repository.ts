/** Whether the repository that an agent names can be had: at its save, and where its sessions could start. */
import type { ApiConfig } from '../../config/api.ts';
import type { Agent } from '../../contract/agent.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import {
  type AgentRepository,
  hostProblem,
  noSuchRepository,
  type Repository,
  repositoryUrl,
} from '../../contract/repository.ts';
import type { Db } from '../../store/database.ts';
import { listRepositories } from '../../store/repositories/repositories.ts';

interface Dependencies {
  db: Db;
  config: Pick<ApiConfig, 'PRIVATE_REPOSITORY_HOSTS'>;
}

/** Of an agent that is saved, by what is registered now; the start of a session judges it again. */
export async function repositoryProblems(
  { db, config }: Dependencies,
  workspaceId: string,
  given: AgentRepository | null,
): Promise<FieldProblem[]> {
  const registered = given === null ? [] : await listRepositories(db, workspaceId);
  return given === null ? [] : problemsOf(given, registered, config);
}

/** Returns a function that says why an agent's sessions cannot have its repository; null when they can. */
export async function readWhyNoRepository(
  { db, config }: Dependencies,
  agents: readonly Agent[],
): Promise<(agent: Agent) => string | null> {
  const naming = agents.filter(({ repository }) => repository !== null);
  const workspaceIds = [...new Set(naming.map(({ workspace_id }) => workspace_id))];
  const registered = await Promise.all(
    workspaceIds.map(async (id) => [id, await listRepositories(db, id)] as const),
  );
  const byWorkspace = new Map(registered);
  return ({ repository, workspace_id }) => {
    const [problem] =
      repository === null ? [] : problemsOf(repository, byWorkspace.get(workspace_id) ?? [], config);
    return problem === undefined ? null : `its repository ${problem.message}`;
  };
}

function problemsOf(
  given: AgentRepository,
  registered: readonly Repository[],
  { PRIVATE_REPOSITORY_HOSTS: listed }: Dependencies['config'],
): FieldProblem[] {
  const entry = registered.find(({ name }) => name === given.name);
  if (entry === undefined) {
    const message = noSuchRepository(given.name);
    return [{ path: 'repository.name', code: 'unknown_reference', message }];
  }
  const found = repositoryUrl(given, entry);
  if ('problem' in found) {
    return [{ path: 'repository.path', code: 'invalid_reference', message: found.problem }];
  }
  const refused = hostProblem(entry.host, listed);
  return refused === null ? [] : [{ path: 'repository.name', code: 'not_available', message: refused }];
}
