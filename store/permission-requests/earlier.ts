/** What an agent asked before, as far as one person may read the sessions in which it did. */
import type { Knex } from 'knex';
import * as z from 'zod';
import { grantScope } from '../../contract/grant.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import {
  type EarlierRequests,
  type PermissionRequest,
  requestStatus,
} from '../../contract/permission-request.ts';
import { earlierBounds } from '../../contract/request-bounds.ts';
import { sessionTitle } from '../../contract/session-title.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readableCondition } from '../sessions/conditions.ts';
import { namedOrNull } from '../sessions/context.ts';
import { titleStart } from '../sessions/title.ts';

interface AskedNow {
  request: PermissionRequest;
  /** Whose sessions count; undefined for who may read all of the workspace. */
  readableBy: string | undefined;
}

const countRow = z.object({ status: requestStatus, count: z.int() });
const lookedRow = z.object({ looked: z.int() });

/**
 * Of the agent's last requests those that are alike: the same tool, or what is asked for where no call was
 * refused. Unlike in the list of requests, to own the agent shows nothing of sessions that one may not read.
 */
export async function readEarlierRequests(db: Db, asked: AskedNow): Promise<EarlierRequests> {
  const counts = await readRows(countsOf(db, asked), countRow);
  const of = (...wanted: string[]) =>
    counts.filter(({ status }) => wanted.includes(status)).reduce((sum, { count }) => sum + count, 0);
  return {
    approved: of('approved'),
    denied: of('denied'),
    unanswered: of('expired', 'cancelled'),
    is_partial: await isPartial(db, asked),
    decided: await listDecided(db, asked),
  };
}

/**
 * Whether there may be more that are alike than are looked at. Who may read only some sessions is told the
 * same however often the agent asked elsewhere.
 */
async function isPartial(db: Db, { request, readableBy }: AskedNow): Promise<boolean> {
  if (readableBy !== undefined) {
    return true;
  }
  const counted = db.from(lastOf(db, request).as('last')).select(db.raw('count(*)::int as looked'));
  const [row] = await readRows(counted, lookedRow);
  return (row?.looked ?? 0) >= earlierBounds.looked;
}

/** Bounded before anything else is asked of a row: an agent may ask as often as it likes. */
function lastOf(db: Db, { agent_id: agentId }: PermissionRequest): Knex.QueryBuilder {
  return db('permission_requests')
    .where({ agent_id: agentId })
    .whereRaw('created_at > now() - make_interval(days => ?)', [earlierBounds.days])
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(earlierBounds.looked);
}

/** Those alike among `last`, whose columns they are; without the one that is asked now. */
function alike(db: Db, { request, readableBy }: AskedNow): Knex.QueryBuilder {
  const query = db
    .from('last')
    .where('grant_type', request.grant_type)
    .whereNot('id', request.id)
    .whereNot('status', 'open');
  if (request.refused_call === null) {
    query.whereRaw('details = ?::jsonb', [JSON.stringify(request.details)]);
  } else {
    const { server, tool } = request.refused_call;
    query.where({ refused_server: server, refused_tool: tool });
  }
  if (readableBy !== undefined) {
    query.whereRaw(`session_id in (select id from sessions where ${readableCondition})`, {
      userId: readableBy,
    });
  }
  return query;
}

const countsOf = (db: Db, asked: AskedNow) =>
  alike(db, asked)
    .with('last', lastOf(db, asked.request))
    .groupBy('status')
    .select('status', db.raw('count(*)::int as count'));

const decidedRow = z.object({
  id: uuid,
  session_id: uuid,
  title_start: z.string(),
  status: z.enum(['approved', 'denied']),
  decided_at: timestamp,
  decider_id: uuid.nullable(),
  decider_name: z.string().nullable(),
  grant_scope: grantScope.nullable(),
  is_exact: z.boolean(),
  grant_expires_at: timestamp.nullable(),
});

async function listDecided(db: Db, asked: AskedNow): Promise<EarlierRequests['decided']> {
  const query = db
    .with('last', lastOf(db, asked.request))
    .from(alike(db, asked).whereIn('status', ['approved', 'denied']).as('r'))
    .join('sessions as s', 's.id', 'r.session_id')
    .leftJoin('users as d', 'd.id', 'r.decided_by')
    .leftJoin('grants as g', 'g.id', 'r.grant_id')
    .orderBy([
      { column: 'r.decided_at', order: 'desc' },
      { column: 'r.id', order: 'desc' },
    ])
    .limit(earlierBounds.named)
    .select(titleStart(db), {
      id: 'r.id',
      session_id: 's.id',
      status: 'r.status',
      decided_at: 'r.decided_at',
      decider_id: 'd.id',
      decider_name: 'd.name',
      grant_scope: 'g.scope',
      is_exact: db.raw('g.bound_call_digest is not null'),
      grant_expires_at: 'g.expires_at',
    });
  const rows = await readRows(query, decidedRow);
  return rows.map(({ id, status, decided_at, ...row }) => ({
    ...{ id, status, decided_at },
    session: { id: row.session_id, title: sessionTitle(row.session_id, row.title_start) },
    decider: namedOrNull(row.decider_id, row.decider_name),
    grant: row.grant_scope && {
      scope: row.grant_scope,
      exact_call: row.is_exact,
      expires_at: row.grant_expires_at,
    },
  }));
}
