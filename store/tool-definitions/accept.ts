import * as z from 'zod';
import { definitionPart } from '../../contract/tool-definitions.ts';
import type { Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';

const acceptedRow = z.object({ part: definitionPart, tool: z.string(), digest: z.string() });
export type AcceptedDefinition = z.infer<typeof acceptedRow>;

/**
 * Accepts those of the entry's definitions that wait, and the same ones of its other versions: what an admin read is accepted, however often
 * the entry was edited. Returns what was accepted now.
 */
export function acceptWaiting(
  trx: Transaction,
  entryId: string,
  ids: readonly string[],
  userId: string,
): Promise<AcceptedDefinition[]> {
  const statement = trx.raw(
    `with chosen as (
       select part, tool, digest from tool_definitions where mcp_server_id = :entryId and id = any (cast(:ids as uuid[]))
     )
     update tool_definitions d set accepted_at = now(), accepted_by = :userId
     from chosen
     where d.mcp_server_id = :entryId and d.accepted_at is null
       and (d.part, d.tool, d.digest) = (chosen.part, chosen.tool, chosen.digest)
     returning d.part, d.tool, d.digest`,
    { entryId, ids, userId },
  );
  return readRows(statement, acceptedRow);
}
