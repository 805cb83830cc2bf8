/** What an admin can change about a channel that refers to something. */
import type { ChannelSettings } from '../../contract/channel.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { referencedSecretName } from '../../contract/names.ts';
import { platformSecretRefusal } from '../../contract/secret-use.ts';
import { keepAgents } from '../../store/agents/keep-agents.ts';
import type { Transaction } from '../../store/database.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';
import { agentArchivedProblem } from '../agents/archived-problem.ts';

/** Secrets that are not set or not for channels, and agents that are not of the workspace. Those that are stay until the transaction ends. */
export async function channelProblems(
  trx: Transaction,
  workspaceId: string,
  { address, agents }: ChannelSettings,
): Promise<FieldProblem[]> {
  const name = referencedSecretName(address) ?? '';
  const known = await readKnownSecrets(trx, workspaceId, [name]);
  const refusal = platformSecretRefusal(name, known.get(name));
  const ofWorkspace = await keepAgents(trx, workspaceId, agents);
  // An archived agent was taken off every list, so that one which is listed is new on it.
  const archived = agents.filter((id) => ofWorkspace.get(id)?.isArchived === true);
  return [
    ...(refusal === null ? [] : [{ path: 'address', ...refusal }]),
    ...agents
      .filter((id) => !ofWorkspace.has(id))
      .map((id) => ({ path: 'agents', code: 'not_found', message: `no agent of this workspace is ${id}` })),
    ...archived.map(() => agentArchivedProblem('agents')),
  ];
}
