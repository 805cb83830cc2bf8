import * as z from 'zod';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import type { Db } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { definitionsOf, type EntryVersion, givenDefinitions, valuesOf } from './row.ts';

const known = z.object({ knows_all: z.boolean() });

/** Whether the version is pinned and has all of the list, accepted or not. */
export async function knowsDefinitions(
  db: Db,
  { entryId, version }: EntryVersion,
  report: ToolListReport,
): Promise<boolean> {
  const statement = db.raw(
    `select exists (select from pinned_tool_lists where mcp_server_id = :entryId and version = :version)
       and not exists (
         select from ${givenDefinitions}
         where not exists (
           select from tool_definitions d
           where d.mcp_server_id = :entryId and d.version = :version
             and (d.part, d.tool, d.digest) = (given.part, given.tool, given.digest)
         )
       ) as knows_all`,
    { entryId, version, ...valuesOf(definitionsOf(report)) },
  );
  return onlyRow(await readRows(statement, known)).knows_all;
}
