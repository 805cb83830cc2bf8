/** A check as its row has it; the sealed texts are in `mcp_check_texts`. */
import * as z from 'zod';
import { mcpCheckProcess, mcpCheckStatus } from '../../contract/mcp-check.ts';
import { entryName, timestamp, uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';

export const checkRow = z.object({
  id: uuid,
  workspace_id: uuid,
  mcp_server_id: uuid,
  server_name: entryName,
  entry_version: z.int(),
  env: z.record(z.string(), z.string()),
  started_by: uuid,
  status: mcpCheckStatus,
  reason: z.string().nullable(),
  cancel_requested_at: timestamp.nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  process: mcpCheckProcess
    .omit({ output_size_bytes: true })
    // Absent in rows of earlier releases.
    .extend({ faults: mcpCheckProcess.shape.faults.default([]) })
    .nullable(),
});
export type CheckRow = z.infer<typeof checkRow>;

const columns = Object.keys(checkRow.shape).filter((name) => name !== 'server_name');

/** With the name of the entry. */
export const selectChecks = (db: Db) =>
  db('mcp_checks as c')
    .join('mcp_servers as s', 's.id', 'c.mcp_server_id')
    .select(...columns.map((name) => `c.${name}`), 's.name as server_name');
