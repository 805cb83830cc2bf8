/** What processes wrote to stderr, sealed, and erased when it is old. */
import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import { maxOutputBytes } from '../../contract/process-reports.ts';
import type { Session } from '../../contract/session.ts';
import type { ProcessKind, ProcessOutput, ProcessReport } from '../../contract/session-process.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import {
  type MasterKeys,
  open,
  type SecretIdentity,
  seal,
  UnreadableSecretError,
} from '../secrets/envelope.ts';

interface ProcessKey {
  sessionId: string;
  kind: ProcessKind;
  name: string;
}

const outputIdentity = (workspaceId: string, { sessionId, kind, name }: ProcessKey): SecretIdentity => ({
  workspaceId,
  name: `output/${sessionId}/${kind}/${name}`,
});

/** The columns that hold it. */
const sealedOutput = z.object({
  sealed_output: z.instanceof(Buffer),
  sealed_data_key: z.instanceof(Buffer),
  key_id: z.string(),
});

/**
 * Decrypts the stored output of a process. Throws UnreadableSecretError when the key that sealed it is
 * missing, or it belongs to another row.
 */
function openOutput(
  keys: MasterKeys,
  workspaceId: string,
  key: ProcessKey,
  { sealed_output: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId }: z.infer<typeof sealedOutput>,
): Buffer {
  return open(keys, outputIdentity(workspaceId, key), { sealedValue, sealedDataKey, keyId });
}

/**
 * Output from earlier sidecars: its size at the start of the stored output, and how much had been written by
 * then.
 */
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

const keptOutput = sealedOutput.extend({
  output_size_bytes: z.int(),
  output_written_bytes: z.int(),
  output_updated_at: timestamp,
});

/**
 * The stored tail of a process's output, or null. Throws UnreadableSecretError when the key that sealed it is
 * missing.
 */
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

const nothing = {
  sealed_output: null,
  sealed_data_key: null,
  key_id: null,
  output_size_bytes: null,
  output_written_bytes: null,
  output_updated_at: null,
  earlier_output_size_bytes: 0,
  earlier_written_bytes: 0,
};

/** Erases outputs last written more than `keptSeconds` ago. Returns how many. */
export async function eraseOldOutputs(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  return db('session_processes')
    .whereRaw('output_updated_at < now() - make_interval(secs => ?)', [keptSeconds])
    .update(nothing);
}

/**
 * Erases outputs sealed with any other key: they are not kept long enough to be resealed. Returns how many.
 */
export async function eraseOutputsOfOtherKeys(db: Db, keyId: string): Promise<number> {
  return db('session_processes').whereNotNull('key_id').andWhereNot('key_id', keyId).update(nothing);
}
