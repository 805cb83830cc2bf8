import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import type { ProcessOutput } from '../../contract/session-process.ts';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';
import type { MasterKeys } from '../secrets/envelope.ts';
import { openOutput, type ProcessKey, sealedOutput } from './output-seal.ts';

const keptOutput = sealedOutput.extend({
  output_size_bytes: z.int(),
  output_written_bytes: z.int(),
  output_updated_at: timestamp,
});

/** The stored tail of a process's output, or null. Throws UnreadableSecretError when the key that sealed it is missing. */
export async function readOutput(
  db: Db,
  keys: MasterKeys,
  workspaceId: string,
  key: ProcessKey,
): Promise<ProcessOutput | null> {
  const { sessionId, kind, name } = key;
  const query = db('session_processes')
    .where({ session_id: sessionId, kind, name })
    .whereNotNull('sealed_output')
    .first();
  const row = await readRow(query, keptOutput);
  return row === null
    ? null
    : {
        text: openOutput(keys, workspaceId, key, row).toString('utf8'),
        size_bytes: row.output_size_bytes,
        written_bytes: row.output_written_bytes,
        updated_at: row.output_updated_at,
      };
}
