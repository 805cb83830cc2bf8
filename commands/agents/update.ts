import { isDeepStrictEqual } from 'node:util';
import type { Agent, AgentPatch } from '../../contract/agent.ts';
import { modelProblems } from '../../contract/agent-references.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { forWorkersOnly } from '../../contract/remote-server-validation.ts';
import type { Actor } from '../../contract/session-event.ts';
import { updateAgentRow } from '../../store/agents/change.ts';
import { lockAgent, readAgent } from '../../store/agents/read.ts';
import { listRemoteAttachments } from '../../store/attachments/read-for-launch.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, hasSqlState, inTransaction, sqlState, type Transaction } from '../../store/database.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { unlistFromChannels } from '../channels/unlist-agent.ts';
import { changedVariables } from './changed-variables.ts';
import type { SavedAgent } from './create.ts';
import { problemsInWorkspace } from './problems-in-workspace.ts';
import { type EditorRights, withdrawAfterChange } from './withdraw-after-change.ts';

type Field = keyof AgentPatch & keyof Agent;

/** Fields that decide what runs with the agent's grants, so that changing one may cost the agent grants and channels. */
const sensitiveFields: ReadonlySet<Field> = new Set([
  'run',
  'instructions',
  'env',
  'model',
  'model_access',
  'siblings',
  'services',
  'network',
  'egress_allow',
]);

export interface AgentUpdate {
  agentId: string;
  patch: AgentPatch;
  userId: string;
  rights: EditorRights;
}

/** Changes an agent; null when it does not exist. An update without changes writes no event. */
export async function updateAgent(db: Db, update: AgentUpdate): Promise<SavedAgent | null> {
  try {
    return await inTransaction(db, (trx) => change(trx, update));
  } catch (error) {
    if (hasSqlState(error, sqlState.uniqueViolation)) {
      return nameTaken(db, update);
    }
    throw error;
  }
}

async function nameTaken(db: Db, { agentId, patch: { name = '' } }: AgentUpdate): Promise<SavedAgent | null> {
  const agent = await readAgent(db, agentId);
  return agent === null
    ? null
    : {
        result: 'name_taken',
        by: await findSimilarName(db, 'agents', { workspaceId: agent.workspace_id, name, exceptId: agentId }),
      };
}

async function change(trx: Transaction, update: AgentUpdate): Promise<SavedAgent | null> {
  const before = await lockAgent(trx, update.agentId);
  if (before === null) {
    return null;
  }
  const problems = [
    ...(await problemsInWorkspace(trx, before.workspace_id, update.patch, before)),
    ...changedModelProblems(before, update.patch),
    ...(await kindProblems(trx, before, update.patch)),
  ];
  if (problems.length > 0) {
    return { result: 'invalid', problems };
  }
  const changed = (Object.keys(update.patch) as Field[]).filter(
    (field) => update.patch[field] !== undefined && !isDeepStrictEqual(before[field], update.patch[field]),
  );
  if (changed.length === 0) {
    return { result: 'saved', agent: before };
  }
  const fields = Object.fromEntries(changed.map((field) => [field, update.patch[field]]));
  const agent = await updateAgentRow(trx, before, fields);
  const by: Actor = { type: 'user', id: update.userId };
  await recordChange(trx, { before, agent, changed, by });
  if (changed.some((field) => sensitiveFields.has(field))) {
    await withdrawAfterChange(trx, { id: agent.id, workspaceId: agent.workspace_id }, update);
  } else if (changed.includes('name') && !update.rights.mayList) {
    // What people read in front of its messages.
    await unlistFromChannels(trx, {
      ...{ workspaceId: agent.workspace_id, agentId: agent.id },
      userId: update.userId,
    });
  }
  return { result: 'saved', agent };
}

/** What runs and its access to a model are judged together, where one of them changes. */
function changedModelProblems(before: Agent, patch: AgentPatch): FieldProblem[] {
  const { run = before.run, model_access = before.model_access } = patch;
  const after = { run, model_access };
  return isDeepStrictEqual(after, { run: before.run, model_access: before.model_access })
    ? []
    : modelProblems(after);
}

/** An agent that no person drives cannot act as one at a remote server. */
async function kindProblems(trx: Transaction, before: Agent, { kind }: AgentPatch): Promise<FieldProblem[]> {
  const remote = kind === undefined || kind === 'worker' ? [] : await listRemoteAttachments(trx, before.id);
  return remote.map((name) => ({
    path: 'kind',
    code: 'workers_only',
    message: `"${name}" ${forWorkersOnly}; detach it first`,
  }));
}

/** Names of fields and variables, never their values. */
async function recordChange(
  trx: Transaction,
  { before, agent, changed, by }: { before: Agent; agent: Agent; changed: Field[]; by: Actor },
): Promise<void> {
  const event = {
    workspaceId: agent.workspace_id,
    actor: by,
    resource: { type: 'agent', id: agent.id, name: agent.name },
  };
  const others = changed.filter((field) => field !== 'env');
  if (others.length > 0) {
    await appendAuditEvent(trx, { ...event, event: 'agent.updated', data: { changed: others } });
  }
  if (changed.includes('env')) {
    const variables = changedVariables(before.env, agent.env);
    await appendAuditEvent(trx, { ...event, event: 'agent.env_updated', data: { fields: variables } });
  }
}
