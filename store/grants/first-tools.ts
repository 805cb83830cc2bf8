import type { Knex } from 'knex';
import * as z from 'zod';
import { mostOpenedTools, type OpenedTools } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

const row = z.object({ key: z.string(), server: z.string(), tool: z.string(), total: z.int() });

export const noTools: OpenedTools = { tools: [], more_tools: 0 };

/**
 * The first tools of each key, and how many more it has. `gates` is a query with one row for each tool:
 * `key`, `server`, `tool`, and `place`, which orders the servers. The rest is not fetched.
 */
export async function readFirstTools(db: Db, gates: Knex.Raw): Promise<Map<string, OpenedTools>> {
  const statement = db.raw(
    `select key, server, tool, total from (
       select gates.*, row_number() over (partition by key order by place, tool) as position,
         count(*) over (partition by key) as total
       from (?) as gates
     ) as ranked
     where position <= ?
     order by key, position`,
    [gates, mostOpenedTools],
  );
  const found = new Map<string, OpenedTools>();
  for (const { key, server, tool, total } of await readRows(statement, row)) {
    const opened = found.get(key) ?? { tools: [], more_tools: Math.max(0, total - mostOpenedTools) };
    opened.tools.push({ server, tool });
    found.set(key, opened);
  }
  return found;
}
