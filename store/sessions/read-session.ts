/** One session, and what its agent is. */
import * as z from 'zod';
import { type Agent, agentKind } from '../../contract/agent.ts';
import { type Session, session } from '../../contract/session.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

export const sessionColumns = Object.keys(session.shape) as (keyof Session)[];

const readStatement = `select ${sessionColumns.join(', ')} from sessions where id = $1`;

export async function readSession(db: Db, id: string): Promise<Session | null> {
  const [found] = await readRows(prepared(db, 'read_session', readStatement, [id]), session);
  return found ?? null;
}

/** Whether every member of the workspace may read the session. */
export async function isSharedWithWorkspace(db: Db, id: string): Promise<boolean> {
  const row = await db('sessions').where({ id }).first('shared_with_workspace');
  return row?.shared_with_workspace ?? false;
}

/**
 * The kind of the session's agent: as the session froze it, else as the agent is now. Null for a session that
 * does not exist. Throws a ZodError for a kind that is none.
 */
export async function agentKindOf(db: Db, sessionId: string): Promise<Agent['kind'] | null> {
  const statement = db.raw(
    `select coalesce(frozen.configuration #>> '{agent,kind}', a.kind) as kind
     from sessions s
     join agents a on a.id = s.agent_id
     left join session_configurations frozen on frozen.session_id = s.id
     where s.id = ?`,
    [sessionId],
  );
  const [row] = await readRows(statement, z.object({ kind: agentKind }));
  return row?.kind ?? null;
}

/**
 * The agent's name, which is also how its sessions are named in the audit trail; empty for an unknown agent.
 */
export async function agentNameOf(db: Db, agentId: string): Promise<string> {
  const row = await db('agents').where({ id: agentId }).first('name');
  return row?.name ?? '';
}

/**
 * How long a permission request of this session waits for a person, in seconds; null where the platform's
 * limit counts.
 */
export async function readRequestExpiry(db: Db, sessionId: string): Promise<number | null> {
  const row = await db('sessions').where({ id: sessionId }).first('request_expiry_seconds');
  return row?.request_expiry_seconds ?? null;
}
