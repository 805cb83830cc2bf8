import type { Attachment } from '../../contract/agent.ts';
import { attachmentProblems, referencedSecrets } from '../../contract/attachment-validation.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { JudgePattern } from '../../contract/patterns.ts';
import { forWorkersOnly } from '../../contract/remote-server-validation.ts';
import type { Actor } from '../../contract/session-event.ts';
import { lockAgent } from '../../store/agents/read.ts';
import {
  type AttachmentKey,
  countAttachments,
  readAttachment,
  type StoredAttachment,
  sumOtherEnvBytes,
  upsertAttachment,
} from '../../store/attachments/change.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/lock.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';
import { changedVariables } from '../agents/changed-variables.ts';
import { type EditorRights, withdrawAfterChange } from '../agents/withdraw-after-change.ts';

export interface AttachmentSave {
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

/** Values of all attachments of an agent together: bounded in total, since attachments are read without paging. */
const maxEnvBytes = 1024 * 1024;

export type SavedAttachment =
  | { result: 'saved'; attachment: Attachment }
  | { result: 'invalid'; problems: FieldProblem[] };

/**
 * Attaches an entry, or changes the env of an attachment. Validates and saves in one transaction, so that what was
 * checked is what is saved. The agent's row is locked, which serialises saves of one agent. A change revokes the
 * agent's grants that the editor could not make, like an edit of what it runs.
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
