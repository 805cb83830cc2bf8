/** When a run-time request is not even shown to a human. */
import type { Knex } from 'knex';
import { z } from 'zod';
import type { PermissionRequestInput } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { PermissionRequestAnswer } from '../../contract/sidecar.ts';
import { isAnyMuted } from '../sessions/mute-requests.ts';

export interface RequestLimits {
  /** Open requests in one tree of sessions. */
  openRequests: number;
  /** How long a denied request cannot be repeated. */
  denialMuteSeconds: number;
}

type Refusal = Extract<PermissionRequestAnswer, { status: 'refused' }>;

/** Null when the request is allowed. The caller holds the tree's lock, so the count is exact. */
export async function refusalOf(
  trx: Knex.Transaction,
  input: {
    session: Session;
    /** The session and its ancestors, root first. */
    lineage: readonly string[];
    asked: PermissionRequestInput;
    limits: RequestLimits;
  },
): Promise<Refusal | null> {
  const { session, lineage, asked, limits } = input;
  const setting = await trx('workspaces')
    .where({ id: session.workspace_id })
    .first<{ allowed: boolean } | undefined>('allow_runtime_permission_requests as allowed');
  if (setting?.allowed !== true) {
    return refused(
      'runtime_requests_disabled',
      'this workspace does not take permission requests from agents; a person can create the grant',
    );
  }
  if (await isAnyMuted(trx, lineage)) {
    return refused('muted', 'a person muted the permission requests of this session; go on without it');
  }
  return (
    (await invalidSpawn(trx, session, asked)) ??
    (await recentDenial(trx, session, asked, limits.denialMuteSeconds)) ??
    ((await countOpen(trx, lineage[0] ?? session.id)) >= limits.openRequests
      ? refused(
          'too_many_open_requests',
          `the limit is ${limits.openRequests} open permission requests in a tree of sessions`,
        )
      : null)
  );
}

const refused = (code: Refusal['code'], message: string): Refusal => ({ status: 'refused', code, message });

async function invalidSpawn(
  trx: Knex.Transaction,
  session: Session,
  asked: PermissionRequestInput,
): Promise<Refusal | null> {
  if (asked.grant_type !== 'spawn') {
    return null;
  }
  if (asked.scope !== 'session') {
    return refused('invalid_request', 'a spawn permission that is asked for at run time has scope session');
  }
  const child = await trx('agents')
    .where({ id: asked.details['child_agent_id'], workspace_id: session.workspace_id })
    .first('id');
  return child === undefined ? refused('invalid_request', 'there is no such agent in this workspace') : null;
}

async function recentDenial(
  trx: Knex.Transaction,
  session: Session,
  asked: PermissionRequestInput,
  muteSeconds: number,
): Promise<Refusal | null> {
  const denial = await trx('permission_requests')
    .where({
      session_id: session.id,
      grant_type: asked.grant_type,
      scope: asked.scope,
      status: 'denied',
    })
    .whereRaw('details = ?::jsonb', [JSON.stringify(asked.details)])
    .whereRaw('decided_at > now() - make_interval(secs => ?)', [muteSeconds])
    .orderBy('decided_at', 'desc')
    .first<{ reason: string | null } | undefined>('reason');
  return denial === undefined
    ? null
    : refused(
        'recently_denied',
        `the same request was denied less than ${muteSeconds} seconds ago${denial.reason ? `: ${denial.reason}` : ''}`,
      );
}

async function countOpen(trx: Knex.Transaction, root: string): Promise<number> {
  const { rows } = await trx.raw(
    `with recursive tree as (
       select id from sessions where id = ?
       union all select s.id from sessions s join tree on s.parent_session_id = tree.id
     ) select count(*) from permission_requests where status = 'open' and session_id in (select id from tree)`,
    [root],
  );
  return z.tuple([z.object({ count: z.number() })]).parse(rows)[0].count;
}
