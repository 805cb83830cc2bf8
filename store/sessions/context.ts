/** What is shown of sessions besides their own fields. */
import * as z from 'zod';
import { type Named, uuid } from '../../contract/names.ts';
import { isTerminal, type SessionWait, sessionStatus, sessionWait } from '../../contract/session.ts';
import { sessionTitle } from '../../contract/session-title.ts';
import type { Db } from '../database.ts';
import { usedTokens } from '../model-requests/requests.ts';
import { readRows } from '../read-rows.ts';
import { waitingFor } from './conditions.ts';
import { titleStart } from './title.ts';

export interface SessionContext {
  title: string;
  agent: Named;
  operator: Named | null;
  rootOperator: Named | null;
  /** Of the session that started it. */
  parentAgent: Named | null;
  /** What the session that started it called it. */
  label: string | null;
  /** The schedule that started it, unless it was removed. */
  schedule: Named | null;
  scheduleMaker: Named | null;
  requestsMuted: boolean;
  /** With all members of the workspace. */
  isShared: boolean;
  waitingFor: SessionWait | null;
  hasEnded: boolean;
  /** Of its requests to a language model that are over; null where it made none. */
  modelTokens: number | null;
}

const row = z.object({
  id: uuid,
  title_start: z.string(),
  agent_id: uuid,
  agent_name: z.string(),
  operator_id: uuid.nullable(),
  operator_name: z.string().nullable(),
  root_operator_id: uuid.nullable(),
  root_operator_name: z.string().nullable(),
  parent_agent_id: uuid.nullable(),
  parent_agent_name: z.string().nullable(),
  label: z.string().nullable(),
  schedule_id: uuid.nullable(),
  schedule_name: z.string().nullable(),
  maker_id: uuid.nullable(),
  maker_name: z.string().nullable(),
  permission_requests_muted: z.boolean(),
  shared_with_workspace: z.boolean(),
  waiting_for: sessionWait.nullable(),
  status: sessionStatus,
  model_tokens: z.int().nullable(),
});

/** By session id; omits removed sessions. */
export async function readSessionContexts(
  db: Db,
  sessionIds: readonly string[],
): Promise<Map<string, SessionContext>> {
  const query = db('sessions as s')
    .join('agents as a', 'a.id', 's.agent_id')
    .leftJoin('users as o', 'o.id', 's.operator_id')
    .leftJoin('users as t', 't.id', 's.root_operator_id')
    .leftJoin('sessions as p', 'p.id', 's.parent_session_id')
    .leftJoin('agents as b', 'b.id', 'p.agent_id')
    .leftJoin('child_sessions as c', 'c.session_id', 's.id')
    .leftJoin('schedules as d', 'd.id', 's.schedule_id')
    .leftJoin('users as m', 'm.id', 's.schedule_maker_id')
    .leftJoin('model_usage as w', 'w.session_id', 's.id')
    .whereIn('s.id', sessionIds)
    .select(waitingFor(db), titleStart(db), db.raw(`${usedTokens} as model_tokens`), {
      id: 's.id',
      agent_id: 'a.id',
      agent_name: 'a.name',
      operator_id: 'o.id',
      operator_name: 'o.name',
      root_operator_id: 't.id',
      root_operator_name: 't.name',
      parent_agent_id: 'b.id',
      parent_agent_name: 'b.name',
      label: 'c.label',
      schedule_id: 'd.id',
      schedule_name: 'd.name',
      maker_id: 'm.id',
      maker_name: 'm.name',
      permission_requests_muted: 's.permission_requests_muted',
      shared_with_workspace: 's.shared_with_workspace',
      status: 's.status',
    });
  const rows = await readRows(query, row);
  return new Map(
    rows.map((found) => [
      found.id,
      {
        title: sessionTitle(found.id, found.title_start),
        agent: { id: found.agent_id, name: found.agent_name },
        operator: namedOrNull(found.operator_id, found.operator_name),
        rootOperator: namedOrNull(found.root_operator_id, found.root_operator_name),
        parentAgent: namedOrNull(found.parent_agent_id, found.parent_agent_name),
        label: found.label,
        schedule: namedOrNull(found.schedule_id, found.schedule_name),
        scheduleMaker: namedOrNull(found.maker_id, found.maker_name),
        requestsMuted: found.permission_requests_muted,
        isShared: found.shared_with_workspace,
        waitingFor: found.waiting_for,
        hasEnded: isTerminal(found.status),
        modelTokens: found.model_tokens,
      },
    ]),
  );
}

/** A name from a left join, or null where there is nobody. */
export function namedOrNull(id: string | null, name: string | null): Named | null {
  return id === null || name === null ? null : { id, name };
}
