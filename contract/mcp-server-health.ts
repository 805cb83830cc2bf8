/** How a catalog entry did lately, as the list of entries shows it. */
import * as z from 'zod';
import { mcpCheckStatus } from './mcp-check.ts';
import { timestamp, uuid } from './names.ts';
import { failureCause } from './session-process.ts';

export const mcpServerHealth = z.strictObject({
  /** Of the entry. */
  id: uuid,
  /** For admins, who make them; null also without any that is kept. */
  last_check: z
    .strictObject({
      id: uuid,
      status: mcpCheckStatus,
      entry_version: z.int(),
      /** Why it failed or was cancelled; never in the server's words. */
      reason: z.string().nullable(),
      created_at: timestamp,
      /** From the first byte to the server until its first answer. */
      handshake_ms: z.int().min(0).nullable(),
    })
    .nullable(),
  /** Of the last seven days, with this server, that the reader may read; `failed`: it did not work there. */
  sessions: z.strictObject({
    count: z.int().min(0),
    failed: z.int().min(0),
    /** The newest of them. */
    last_failed: z.strictObject({ session_id: uuid, cause: failureCause }).nullable(),
  }),
});
export type McpServerHealth = z.infer<typeof mcpServerHealth>;
