import { agentProblems, secretReferences } from '../../contract/agent-references.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { Db } from '../../store/database.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';

/** Returns the problems of what is being saved of an agent, given the workspace's current secrets. */
export async function problemsInWorkspace(
  db: Db,
  workspaceId: string,
  fields: Parameters<typeof agentProblems>[0],
): Promise<FieldProblem[]> {
  const names = secretReferences(fields).map(({ secretName }) => secretName);
  return agentProblems(fields, await readKnownSecrets(db, workspaceId, names));
}
