/** Sessions with gated tools, and grants for them, straight through the store. */
import { randomUUID } from 'node:crypto';
import type { Agent } from '../../contract/agent.ts';
import type { ApprovalClaims } from '../../contract/approval.ts';
import type { Grant } from '../../contract/grant.ts';
import type { FrozenConfiguration, Session } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { inTransaction } from '../../store/database.ts';
import type { GatedCall } from '../../store/grants/check-and-consume.ts';
import { insertGrant } from '../../store/grants/insert.ts';

type NewGrant = ApprovalClaims['grant'];

/** A `tool_scope` grant for `files.write`, held by the session's agent unless said otherwise. */
export function grantFor(session: Session, content: Partial<NewGrant> = {}): NewGrant {
  return {
    id: randomUUID(),
    workspace_id: session.workspace_id,
    user_subject_id: null,
    agent_subject_id: content.user_subject_id == null ? session.agent_id : null,
    grant_type: 'tool_scope',
    details: { scope: 'files.write' },
    scope: 'once',
    session_id: content.scope === 'session' ? session.id : null,
    reason: null,
    granted_by_user_id: session.operator_id ?? '',
    granted_by_role: 'member',
    request_id: null,
    ...content,
  };
}

export function giveGrant(db: Db, session: Session, content: Partial<NewGrant> = {}): Promise<Grant> {
  return inTransaction(db, (trx) => insertGrant(trx, grantFor(session, content)));
}

/** A call of `files.write_file`, which needs `files.write`. */
export function callOf(session: Session, content: Partial<GatedCall> = {}): GatedCall {
  return {
    callId: randomUUID(),
    sessionId: session.id,
    server: 'files',
    tool: 'write_file',
    scope: 'files.write',
    entryId: randomUUID(),
    keptToAdmins: false,
    ...content,
  };
}

/** A configuration with one server `files`, whose `write_file` and `edit_file` need `files.write`. */
export function frozenFor(session: Session, agent: Agent): FrozenConfiguration {
  return {
    session_id: session.id,
    workspace_id: session.workspace_id,
    agent: {
      id: agent.id,
      name: agent.name,
      kind: agent.kind,
      run: agent.run,
      image: null,
      instructions: agent.instructions,
      model: agent.model,
      env: { GREETING: { kind: 'value', value: 'a plain value' } },
      network: agent.network,
      egress_allow: [],
      limits: agent.limits,
    },
    prompt: session.prompt,
    servers: [
      {
        name: 'files',
        entry_id: randomUUID(),
        entry_version: 1,
        shape: { type: 'command', command: 'mcp-server-filesystem', args: ['/workspace'] },
        image_digest: null,
        image_command: null,
        image_volumes: null,
        registry_credentials: null,
        env: { TOKEN: { kind: 'secret', secret_name: 'FILES_TOKEN', secret_version: 1 } },
        manifest_env: { TOKEN: { kind: 'secret', label: 'Token' } },
        tool_scopes: { write_file: 'files.write', edit_file: 'files.write', remove: 'files.remove' },
        approvers: 'operator',
        network: 'none',
        egress_allow: [],
        client_features: [],
      },
    ],
    siblings: [],
    log_tool_payloads: false,
    services: [],
    frozen_at: new Date().toISOString(),
  };
}
