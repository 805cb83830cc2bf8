/** Servers of the catalog are attached to an agent and detached: each changes what the agent may reach. */
import type { Attachment } from '../../contract/agent.ts';
import { attachmentProblems, referencedSecrets } from '../../contract/attachment-validation.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { JudgePattern } from '../../contract/patterns.ts';
import { forWorkersOnly } from '../../contract/remote-server.ts';
import type { Actor } from '../../contract/session-event.ts';
import { lockAgent } from '../../store/agents/agents.ts';
import {
  type AttachmentKey,
  countAttachments,
  deleteAttachment,
  readAttachment,
  type StoredAttachment,
  sumOtherEnvBytes,
  upsertAttachment,
} from '../../store/attachments/attachments.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/mcp-servers.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { changedVariables, type EditorRights, withdrawAfterChange } from '../agents/save.ts';

interface AttachmentSave {
  workspaceId: string;
  agent: { id: string; name: string };
  name: string;
  env: Record<string, string>;
  userId: string;
  /** Results of the entry's expressions on this env, run beforehand so that nothing is locked meanwhile. */
  judge: JudgePattern;
  maxPerAgent: number;
  rights: EditorRights;
}

/**
 * Values of all attachments of an agent together: bounded in total, since attachments are read without
 * paging.
 */
const maxEnvBytes = 1024 * 1024;

type SavedAttachment =
  | { result: 'saved'; attachment: Attachment }
  | { result: 'invalid'; problems: FieldProblem[] };

/**
 * Attaches an entry, or changes the env of an attachment. Validates and saves in one transaction, so that
 * what was checked is what is saved. The agent's row is locked, which serialises saves of one agent. A change
 * revokes the agent's grants that the editor could not make, like an edit of what it runs.
 */
export async function attach(db: Db, save: AttachmentSave): Promise<SavedAttachment> {
  return inTransaction(db, async (trx) => {
    const { workspaceId, agent, name, env, judge, maxPerAgent } = save;
    const { kind = null } = (await lockAgent(trx, agent.id)) ?? {};
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    if (entry === null) {
      return invalid('unknown_mcp_server', `the workspace catalog has no entry "${name}"`);
    }
    const { id: serverId, manifest } = entry;
    if (entry.shape.type === 'remote' && kind !== 'worker') {
      return invalid('workers_only', forWorkersOnly);
    }
    const secrets = await readKnownSecrets(trx, workspaceId, referencedSecrets(manifest, env));
    const problems = attachmentProblems({ name, manifest, env, secrets, judge });
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    const key = { agentId: agent.id, serverId };
    const before = await readAttachment(trx, key);
    if (before === null && (await countAttachments(trx, agent.id, maxPerAgent)) >= maxPerAgent) {
      return invalid('too_many', `the limit is ${maxPerAgent} attachments for an agent`);
    }
    const otherBytes = await sumOtherEnvBytes(trx, key);
    if (otherBytes + Buffer.byteLength(JSON.stringify(env)) > maxEnvBytes) {
      return invalid(
        'too_large',
        `the limit is ${maxEnvBytes} bytes of values in all attachments of an agent`,
      );
    }
    return { result: 'saved', attachment: await write(trx, save, key, before) };
  });
}

/** The event carries field names, not values. An unchanged env writes no event. */
async function write(
  trx: Transaction,
  { workspaceId, agent, name, env, userId, rights }: AttachmentSave,
  key: AttachmentKey,
  before: StoredAttachment | null,
): Promise<Attachment> {
  const fields = changedVariables(before?.env ?? {}, env);
  if (before !== null && fields.length === 0) {
    return { name, ...before };
  }
  const by: Actor = { type: 'user', id: userId };
  const saved = await upsertAttachment(trx, { ...key, workspaceId }, env);
  await appendAuditEvent(trx, {
    workspaceId,
    event: before === null ? 'agent.mcp.attached' : 'agent.mcp.env_updated',
    actor: by,
    resource: { type: 'agent', id: agent.id, name: agent.name },
    data: { name, fields },
  });
  await withdrawAfterChange(trx, { id: agent.id, workspaceId }, { userId, rights });
  return { name, ...saved };
}

function invalid(code: string, message: string): SavedAttachment {
  return { result: 'invalid', problems: [{ path: 'name', code, message }] };
}

/**
 * Removes an attachment, and revokes grants like saving one; false when the agent has none of that name.
 * The event carries field names, not values.
 */
export async function detach(
  db: Db,
  input: {
    workspaceId: string;
    agent: { id: string; name: string };
    name: string;
    userId: string;
    rights: EditorRights;
  },
): Promise<boolean> {
  const { workspaceId, agent, name, userId, rights } = input;
  const by: Actor = { type: 'user', id: userId };
  return inTransaction(db, async (trx) => {
    await lockAgent(trx, agent.id);
    const env = await deleteAttachment(trx, { workspaceId, agentId: agent.id, name });
    if (env === null) {
      return false;
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'agent.mcp.detached',
      actor: by,
      resource: { type: 'agent', id: agent.id, name: agent.name },
      data: { name, fields: Object.keys(env).sort() },
    });
    await withdrawAfterChange(trx, { id: agent.id, workspaceId }, { userId, rights });
    return true;
  });
}
