import type * as z from 'zod';
import { type PieceReader, StreamEndedError } from '../packages/piece-reader.ts';
import { maxRecordBytes } from './job-stream.ts';

/**
 * The next record. Throws for anything else, and a StreamEndedError where the stream ends before it is whole.
 */
export async function readRecord<Schema extends z.ZodType>(
  reader: PieceReader,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const length = (await piece(reader, 4)).readUInt32BE();
  if (length > maxRecordBytes) {
    throw new Error('there is no record');
  }
  return schema.parse(JSON.parse(String(await piece(reader, length))));
}

async function piece(reader: PieceReader, length: number): Promise<Buffer> {
  const bytes = await reader.exactly(length);
  if (bytes === null) {
    throw new StreamEndedError('the stream ended before a record');
  }
  return bytes;
}
