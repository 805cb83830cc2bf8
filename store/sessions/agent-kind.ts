import * as z from 'zod';
import { type Agent, agentKind } from '../../contract/agent.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

/**
 * The kind of the session's agent: as the session froze it, else as the agent is now. Null for a session that does not exist. Throws a ZodError for
 * a kind that is none.
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
