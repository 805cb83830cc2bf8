/** When a run-time request is not even shown to a human. */
import type { PermissionRequestInput } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { PermissionRequestAnswer } from '../../contract/sidecar.ts';
import type { Transaction } from '../../store/database.ts';
import {
  allowsRuntimeRequests,
  countOpenInTree,
  findRecentDenial,
  hasAgent,
} from '../../store/permission-requests/refusal-facts.ts';
import { isAnyMuted } from '../../store/sessions/requests-muted.ts';

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
      'this workspace does not take permission requests from agents; a person can create the grant',
    );
  }
  if (await isAnyMuted(trx, lineage)) {
    return refused('muted', 'a person muted the permission requests of this session; continue without it');
  }
  return (
    (await invalidSpawn(trx, session, asked)) ??
    (await recentDenial(trx, session, asked, limits.denialMuteSeconds)) ??
    ((await countOpenInTree(trx, lineage[0] ?? session.id)) >= limits.openRequests
      ? refused(
          'too_many_open_requests',
          `the limit is ${limits.openRequests} open permission requests in a tree of sessions`,
        )
      : null)
  );
}

const refused = (code: Refusal['code'], message: string): Refusal => ({ status: 'refused', code, message });

async function invalidSpawn(
  trx: Transaction,
  { workspace_id: workspaceId }: Session,
  asked: PermissionRequestInput,
): Promise<Refusal | null> {
  if (asked.grant_type !== 'spawn') {
    return null;
  }
  if (asked.scope !== 'session') {
    return refused('invalid_request', 'a spawn permission that is asked for at run time has scope session');
  }
  return (await hasAgent(trx, workspaceId, String(asked.details['child_agent_id'])))
    ? null
    : refused('invalid_request', 'there is no such agent in this workspace');
}

async function recentDenial(
  trx: Transaction,
  { id: sessionId }: Session,
  asked: PermissionRequestInput,
  muteSeconds: number,
): Promise<Refusal | null> {
  const denial = await findRecentDenial(trx, sessionId, asked, { withinSeconds: muteSeconds });
  return denial === null
    ? null
    : refused(
        'recently_denied',
        `the same request was denied less than ${muteSeconds} seconds ago${denial.reason ? `: ${denial.reason}` : ''}`,
      );
}
