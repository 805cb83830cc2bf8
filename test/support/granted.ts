/** Sessions with gated tools, and grants for them, straight through the store. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { writeGrant } from '../../commands/grants/write.ts';
import type { Agent } from '../../contract/agent.ts';
import type { ApprovalClaims } from '../../contract/approval.ts';
import type { Grant } from '../../contract/grant.ts';
import type { FrozenConfiguration, FrozenServer, Session } from '../../contract/session.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { type CheckedCall, checkAndConsume } from '../../store/grants/check-and-consume.ts';
import { storeConfiguration } from '../../store/session-configurations/configurations.ts';
import { eventually, untilFound } from './eventually.ts';

type NewGrant = ApprovalClaims['grant'];

/** Of tests that ask for permissions straight through the command. */
export const callKeys = {
  masterKeys: [{ id: 'test', key: randomBytes(32) }],
  callDigestKey: randomBytes(32),
};

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
    bound_call_digest: null,
    expires_at: null,
    ...content,
  };
}

export function giveGrant(db: Db, session: Session, content: Partial<NewGrant> = {}): Promise<Grant> {
  return inTransaction(db, (trx) => writeGrant(trx, grantFor(session, content)));
}

/** A call of `files.write_file`, which needs `files.write`. */
export function callOf(session: Session, content: Partial<CheckedCall> = {}): CheckedCall {
  const call = { server: 'files', tool: 'write_file', digest: null };
  return { callId: randomUUID(), sessionId: session.id, ...call, ...content };
}

/**
 * The grant that a call of a gated tool passes on, or null where it is refused. Throws where the
 * session does not gate the tool.
 */
export async function passOn(db: Knex, call: CheckedCall): Promise<{ grantId: string } | null> {
  const answer = await checkAndConsume(db, call);
  if (answer.decision === 'refused' && answer.code === 'permission_required') {
    return null;
  }
  if (answer.decision === 'refused' || answer.granted_via === null) {
    throw new Error(`${call.server} ${call.tool} is not gated: ${JSON.stringify(answer)}`);
  }
  return { grantId: answer.granted_via };
}

/** Resolves once the database's clock is past that time. */
export async function untilOver(db: Knex, at: string | null): Promise<void> {
  await untilFound(`the end of ${at}`, async () => {
    const { rows } = await db.raw('select clock_timestamp() > ? as over', [at]);
    return rows[0].over === true ? true : null;
  });
}

/** Freezes the servers `files` and `other`, each with the tools of `frozenFor`. Returns the session. */
export async function freezeGates(
  db: Db,
  session: Session,
  agent: Agent,
  changes: Partial<FrozenServer> = {},
): Promise<Session> {
  const frozen = frozenFor(session, agent);
  const servers = frozen.servers.map((server) => ({ ...server, ...changes }));
  const others = servers.map((server) => ({ ...server, name: 'other' }));
  await storeConfiguration(db, { ...frozen, servers: [...servers, ...others] });
  return session;
}

/**
 * Waits for the session's configuration, and puts this one in its place: nothing else
 * changes what was frozen.
 */
export async function replaceConfiguration(db: Db, frozen: FrozenConfiguration): Promise<void> {
  await eventually(async () => {
    if ((await db('session_configurations').where({ session_id: frozen.session_id }).delete()) === 0) {
      throw new Error('the session has no configuration yet');
    }
  });
  await storeConfiguration(db, frozen);
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
        changed_tools: 'tell',
        unlisted_tools: 'allow',
        listed_tools: [],
        start_seconds: null,
        sign_in: null,
      },
    ],
    siblings: [],
    has_operator: true,
    log_tool_payloads: false,
    services: [],
    frozen_at: new Date().toISOString(),
  };
}
