/** When a run-time request is not even shown to a human. */
import type { PermissionRequestInput } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { PermissionRequestAnswer } from '../../contract/sidecar.ts';
import { listRemoteAttachments } from '../../store/attachments/read-for-launch.ts';
import type { Transaction } from '../../store/database.ts';
import {
  allowsRuntimeRequests,
  countOpenInTree,
  findRecentDenial,
  hasAgent,
} from '../../store/permission-requests/refusal-facts.ts';
import { agentKindOf } from '../../store/sessions/sessions.ts';
import { isAnyMuted } from '../../store/sessions/tree.ts';

export interface RequestLimits {
  /** Open requests in one tree of sessions. */
  openRequests: number;
  /** How long a denied request cannot be repeated. */
  denialMuteSeconds: number;
}

type Refusal = Extract<PermissionRequestAnswer, { status: 'refused' }>;

/** Null when the request is allowed. The caller holds the tree's lock, so the count is exact. */
export async function refusalOf(
  trx: Transaction,
  input: {
    session: Session;
    /** The session and its ancestors, root first. */
    lineage: readonly string[];
    asked: PermissionRequestInput;
    limits: RequestLimits;
  },
): Promise<Refusal | null> {
  const { session, lineage, asked, limits } = input;
  if (!(await allowsRuntimeRequests(trx, session.workspace_id))) {
    return refused(
      'runtime_requests_disabled',
      'this workspace does not take permission requests from agents, so do not ask again; say what you lack: a person can create the grant',
    );
  }
  if (!(await hasAgent(trx, session.workspace_id, session.agent_id))) {
    return refused(
      'invalid_request',
      'this agent was archived, so nothing is granted to it any more; do not ask again, and continue without it',
    );
  }
  if (await isAnyMuted(trx, lineage)) {
    return refused(
      'muted',
      'a person muted the permission requests of this session; do not ask again, and continue without it',
    );
  }
  const rootSessionId = lineage[0] ?? session.id;
  return (
    (asked.grant_type === 'spawn' ? await invalidSpawn(trx, session, asked) : null) ??
    (await recentDenial(trx, { rootSessionId, sessionId: session.id }, asked, limits.denialMuteSeconds)) ??
    ((await countOpenInTree(trx, rootSessionId)) >= limits.openRequests
      ? refused(
          'too_many_open_requests',
          `the limit is ${limits.openRequests} open permission requests in a tree of sessions; ask for nothing more until one of them is decided`,
        )
      : null)
  );
}

const refused = (code: Refusal['code'], message: string): Refusal => ({ status: 'refused', code, message });

/** What could not be used once it was approved is not shown to a person. */
async function invalidSpawn(
  trx: Transaction,
  { id: sessionId, workspace_id: workspaceId }: Session,
  asked: PermissionRequestInput,
): Promise<Refusal | null> {
  if ((await agentKindOf(trx, sessionId)) !== 'orchestrator') {
    return refused('invalid_request', 'only an agent of the kind orchestrator can start other agents');
  }
  if (asked.scope !== 'session') {
    return refused('invalid_request', 'a spawn permission that is asked for at run time has scope session');
  }
  const childAgentId = String(asked.details['child_agent_id']);
  if (!(await hasAgent(trx, workspaceId, childAgentId))) {
    return refused('invalid_request', 'there is no such agent in this workspace, or it is archived');
  }
  return (await listRemoteAttachments(trx, childAgentId)).length === 0
    ? null
    : refused('invalid_request', 'that agent has a remote MCP server attached: no session can start it');
}

/**
 * A denial holds for what is as wide or wider, and for the whole tree, so that nobody is asked again by
 * another session of it. Its reason is for the session that was denied.
 */
async function recentDenial(
  trx: Transaction,
  asker: { rootSessionId: string; sessionId: string },
  asked: PermissionRequestInput,
  muteSeconds: number,
): Promise<Refusal | null> {
  const denial = await findRecentDenial(trx, asker, asked, { withinSeconds: muteSeconds });
  if (denial === null) {
    return null;
  }
  const denied = `the same request${denial.isNarrower ? ', for less,' : ''} was denied less than ${muteSeconds} seconds ago, so do not ask for it again`;
  if (denial.sessionId !== asker.sessionId) {
    return refused('recently_denied', `${denied}, to another session of the same tree`);
  }
  return refused('recently_denied', denial.reason ? `${denied}: ${denial.reason}` : denied);
}
