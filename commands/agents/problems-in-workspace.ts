import { agentProblems, secretReferences } from '../../contract/agent-references.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { Db } from '../../store/database.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';

type Fields = Parameters<typeof agentProblems>[0];

/** Returns the problems of what is being saved of an agent, given the workspace's current secrets and what it had before. */
export async function problemsInWorkspace(
  db: Db,
  workspaceId: string,
  fields: Fields,
  before: Pick<Fields, 'siblings' | 'services'> = {},
): Promise<FieldProblem[]> {
  const names = secretReferences(fields).map(({ secretName }) => secretName);
  const kept = [
    ...(fields.siblings === undefined ? (before.siblings ?? []) : []),
    ...(fields.services === undefined ? (before.services ?? []) : []),
  ];
  return agentProblems(fields, await readKnownSecrets(db, workspaceId, names), kept);
}
