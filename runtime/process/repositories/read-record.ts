import type * as z from 'zod';
import type { PieceReader } from '../packages/piece-reader.ts';
import { maxRecordBytes } from './job-stream.ts';

/** The next record. Throws for anything else, and at the end of the stream. */
export async function readRecord<Schema extends z.ZodType>(
  reader: PieceReader,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const length = (await reader.exactly(4))?.readUInt32BE() ?? null;
  if (length === null || length > maxRecordBytes) {
    throw new Error('there is no record');
  }
  return schema.parse(JSON.parse(String(await reader.exactly(length))));
}
