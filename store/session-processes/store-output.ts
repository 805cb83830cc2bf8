import * as z from 'zod';
import { maxOutputBytes } from '../../contract/process-reports.ts';
import type { Session } from '../../contract/session.ts';
import type { ProcessReport } from '../../contract/session-process.ts';
import type { Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { type MasterKeys, seal, UnreadableSecretError } from '../secrets/envelope.ts';
import { openOutput, outputIdentity, type ProcessKey, sealedOutput } from './output-seal.ts';

/** Output from earlier sidecars: its size at the start of the stored output, and how much had been written by then. */
export const earlierOutput = z.object({ earlier_output_size_bytes: z.int(), earlier_written_bytes: z.int() });
export type EarlierOutput = z.infer<typeof earlierOutput>;

interface Told extends ProcessReport {
  output: NonNullable<ProcessReport['output']>;
  earlier: EarlierOutput;
}

/** Seals and stores the tail of a process's output: that from earlier sidecars, then that from this one. */
export async function storeOutput(
  trx: Transaction,
  keys: MasterKeys,
  { id: sessionId, workspace_id: workspaceId }: Session,
  { kind, name, output, earlier }: Told,
): Promise<void> {
  const key = { sessionId, kind, name };
  const bytes = Buffer.from(output.base64, 'base64').subarray(-maxOutputBytes);
  const before = await readEarlier(trx, keys, { workspaceId, key, earlier });
  const all = Buffer.concat([before, bytes]).subarray(-maxOutputBytes);
  const writtenBytes = earlier.earlier_written_bytes + Math.max(bytes.length, output.written_bytes);
  const sealed = seal(keys, outputIdentity(workspaceId, key), all);
  await trx('session_processes')
    .where({ session_id: sessionId, kind, name })
    .update({
      sealed_output: sealed.sealedValue,
      sealed_data_key: sealed.sealedDataKey,
      key_id: sealed.keyId,
      output_size_bytes: all.length,
      earlier_output_size_bytes: all.length - bytes.length,
      output_written_bytes: Math.min(Number.MAX_SAFE_INTEGER, writtenBytes),
      output_updated_at: trx.fn.now(),
    });
}

/** Empty when nothing is kept of it, or the key that sealed it is missing. */
async function readEarlier(
  trx: Transaction,
  keys: MasterKeys,
  { workspaceId, key, earlier }: { workspaceId: string; key: ProcessKey; earlier: EarlierOutput },
): Promise<Buffer> {
  const { sessionId, kind, name } = key;
  const query = trx('session_processes')
    .where({ session_id: sessionId, kind, name })
    .whereNotNull('sealed_output')
    .first('sealed_output', 'sealed_data_key', 'key_id');
  const row = earlier.earlier_output_size_bytes === 0 ? null : await readRow(query, sealedOutput);
  try {
    const stored = row === null ? Buffer.alloc(0) : openOutput(keys, workspaceId, key, row);
    return stored.subarray(0, earlier.earlier_output_size_bytes);
  } catch (error) {
    if (error instanceof UnreadableSecretError) {
      return Buffer.alloc(0);
    }
    throw error;
  }
}
