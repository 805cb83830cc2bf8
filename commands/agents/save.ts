/** An agent is created and changed, and loses what the person who changed it could not have given it. */
import { isDeepStrictEqual } from 'node:util';
import type { Agent, AgentInput, AgentPatch } from '../../contract/agent.ts';
import { agentProblems, modelProblems, secretReferences } from '../../contract/agent-references.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { StoredGrant } from '../../contract/grant.ts';
import { forWorkersOnly } from '../../contract/remote-server.ts';
import type { Actor } from '../../contract/session-event.ts';
import { insertAgent, lockAgent, readAgent, updateAgentRow } from '../../store/agents/agents.ts';
import { listRemoteAttachments } from '../../store/attachments/read-for-launch.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, hasSqlState, inTransaction, sqlState, type Transaction } from '../../store/database.ts';
import { listActiveGrantsOfAgent } from '../../store/grants/read.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { unlistFromChannels } from '../channels/unlist-agent.ts';
import { revokeGrant } from '../grants/revoke.ts';
import { requireRoomInWorkspace } from '../quotas/quotas.ts';

type Env = Readonly<Record<string, string>>;

/**
 * Names of the variables that were added, changed or removed, sorted: an event carries them, and never their
 * values.
 */
export function changedVariables(before: Env, after: Env): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort();
}

type Fields = Parameters<typeof agentProblems>[0];

/**
 * Returns the problems of what is being saved of an agent, given the workspace's current secrets and what it
 * had before.
 */
async function problemsInWorkspace(
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

/** What the editor of an agent could have decided about it. */
export interface EditorRights {
  /** Whether they may create this grant. */
  mayCreate(grant: StoredGrant, trx: Db): Promise<boolean>;
  /** Whether they may list agents for channels. */
  mayList: boolean;
}

/**
 * Withdraws what the agent's editor could not have given it: active grants, and its places in channels. Takes
 * a transaction that locked the agent.
 */
export async function withdrawAfterChange(
  trx: Transaction,
  agent: { id: string; workspaceId: string },
  { userId, rights }: { userId: string; rights: EditorRights },
): Promise<void> {
  for (const grant of await listActiveGrantsOfAgent(trx, agent.id)) {
    if (!(await rights.mayCreate(grant, trx))) {
      await revokeGrant(trx, grant.id, { type: 'user', id: userId }, 'agent_changed');
    }
  }
  if (!rights.mayList) {
    await unlistFromChannels(trx, { workspaceId: agent.workspaceId, agentId: agent.id, userId });
  }
}

export type SavedAgent =
  | { result: 'saved'; agent: Agent }
  | { result: 'invalid'; problems: FieldProblem[] }
  /** `by`: the name that the workspace has; null when that is gone again. */
  | { result: 'name_taken'; by: string | null };

/** Adds an agent that belongs to its creator. Throws QuotaExceededError at the workspace's limit. */
export async function createAgent(
  db: Db,
  workspaceId: string,
  input: AgentInput,
  userId: string,
  quota: { limit: number } | null = null,
): Promise<SavedAgent> {
  return inTransaction(db, async (trx) => {
    if (quota !== null) {
      await requireRoomInWorkspace(trx, workspaceId, 'agents', quota);
    }
    const problems = [...(await problemsInWorkspace(trx, workspaceId, input)), ...modelProblems(input)];
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    const agent = await insertAgent(trx, { workspaceId, ownerId: userId, input });
    if (agent === null) {
      const by = await findSimilarName(trx, 'agents', { workspaceId, name: input.name });
      return { result: 'name_taken', by };
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'agent.created',
      actor: { type: 'user', id: userId },
      resource: { type: 'agent', id: agent.id, name: agent.name },
    });
    return { result: 'saved', agent };
  });
}

type Field = keyof AgentPatch & keyof Agent;

/**
 * Fields that decide what runs with the agent's grants, so that changing one may cost the agent grants and
 * channels.
 */
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
  'repository',
]);

interface AgentUpdate {
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
  const agent = await updateAgentRow(trx, before.id, fields);
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
