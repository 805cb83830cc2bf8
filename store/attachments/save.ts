import type { Attachment } from '../../contract/agent.ts';
import { attachmentProblems, referencedSecrets } from '../../contract/attachment-validation.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { JudgePattern } from '../../contract/patterns.ts';
import type { Actor } from '../../contract/session-event.ts';
import { type MayCreate, revokeAfterChange } from '../agents/revoke-after-change.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { mcpServerColumns, presentMcpServer } from '../mcp-servers/row.ts';
import { readKnownSecrets } from '../secrets/read.ts';

export interface AttachmentSave {
  workspaceId: string;
  agent: { id: string; name: string };
  name: string;
  env: Record<string, string>;
  userId: string;
  /** Results of the entry's expressions on this env, run beforehand so that nothing is locked meanwhile. */
  judge: JudgePattern;
  maxPerAgent: number;
  mayCreate: MayCreate;
}

/** Values of all attachments of an agent together. */
const maxEnvBytes = 1024 * 1024;

export type SavedAttachment =
  | { result: 'saved'; attachment: Attachment }
  | { result: 'invalid'; problems: FieldProblem[] };

/**
 * Validates and saves in one transaction, so that what was checked is what is saved.
 * The agent's row is locked, which serialises saves of one agent. A change revokes the agent's grants that the
 * editor could not make, like an edit of what it runs.
 */
export async function saveAttachment(db: Db, save: AttachmentSave): Promise<SavedAttachment> {
  return inTransaction(db, async (trx) => {
    const { workspaceId, agent, name, env, judge } = save;
    await trx('agents').where({ id: agent.id }).forUpdate().first('id');
    const entry = await trx('mcp_servers')
      .where({ workspace_id: workspaceId, name })
      .forShare()
      .first(mcpServerColumns);
    if (entry === undefined) {
      return invalid('unknown_mcp_server', `the workspace catalog has no entry "${name}"`);
    }
    const { id: serverId, manifest } = presentMcpServer(entry);
    const secrets = await readKnownSecrets(trx, workspaceId, referencedSecrets(manifest, env));
    const problems = attachmentProblems({ name, manifest, env, secrets, judge });
    if (problems.length > 0) {
      return { result: 'invalid', problems };
    }
    const before = await trx('agent_mcp_attachments')
      .where({ agent_id: agent.id, mcp_server_id: serverId })
      .first('env', 'created_at', 'updated_at');
    if (before === undefined && (await isFull(trx, save))) {
      return invalid('too_many', `the limit is ${save.maxPerAgent} attachments for an agent`);
    }
    if (await isTooLarge(trx, save, serverId)) {
      return invalid(
        'too_large',
        `the limit is ${maxEnvBytes} bytes of values in all attachments of an agent`,
      );
    }
    return { result: 'saved', attachment: await write(trx, save, serverId, before) };
  });
}

async function isFull(trx: Db, { agent, maxPerAgent }: AttachmentSave): Promise<boolean> {
  const rows = await trx('agent_mcp_attachments')
    .where({ agent_id: agent.id })
    .limit(maxPerAgent)
    .select('agent_id');
  return rows.length >= maxPerAgent;
}

/** Bounded in total, since attachments are read without paging. */
async function isTooLarge(trx: Db, { agent, env }: AttachmentSave, serverId: string): Promise<boolean> {
  const others = await trx('agent_mcp_attachments')
    .where({ agent_id: agent.id })
    .whereNot({ mcp_server_id: serverId })
    .first<{ bytes: number }>(trx.raw('coalesce(sum(octet_length(env::text)), 0)::bigint as bytes'));
  return others.bytes + Buffer.byteLength(JSON.stringify(env)) > maxEnvBytes;
}

/** The event carries field names, not values. An unchanged env writes no event. */
async function write(
  trx: Db,
  { workspaceId, agent, name, env, userId, mayCreate }: AttachmentSave,
  serverId: string,
  before: Omit<Attachment, 'name'> | undefined,
): Promise<Attachment> {
  const fields = [...new Set([...Object.keys(env), ...Object.keys(before?.env ?? {})])]
    .filter((field) => before?.env[field] !== env[field])
    .sort();
  if (before !== undefined && fields.length === 0) {
    return { name, ...before };
  }
  const by: Actor = { type: 'user', id: userId };
  const [row] = await trx('agent_mcp_attachments')
    .insert({
      workspace_id: workspaceId,
      agent_id: agent.id,
      mcp_server_id: serverId,
      env: JSON.stringify(env),
    })
    .onConflict(['agent_id', 'mcp_server_id'])
    .merge({ env: JSON.stringify(env), updated_at: trx.fn.now() })
    .returning(['env', 'created_at', 'updated_at']);
  await appendAuditEvent(trx, {
    workspaceId,
    event: before === undefined ? 'agent.mcp.attached' : 'agent.mcp.env_updated',
    actor: by,
    resource: { type: 'agent', id: agent.id, name: agent.name },
    data: { name, fields },
  });
  await revokeAfterChange(trx, { agentId: agent.id, by, mayCreate });
  return { name, ...row };
}

function invalid(code: string, message: string): SavedAttachment {
  return { result: 'invalid', problems: [{ path: 'name', code, message }] };
}
