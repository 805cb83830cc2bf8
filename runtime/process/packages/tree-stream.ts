/**
 * How a sandbox that loaded packages hands them over: records, each a length, a line of JSON and the bytes of a file. The platform
 * takes what it is told and looks at nothing in there itself.
 */
import { z } from 'zod';

/** Where the packages are in every sandbox, the one that loads them and those that run them: programs name their own paths. */
export const packagesInside = '/opt/packages';

/** A path below it, and what is there. A `program` ends the stream: the one to run. */
export const treeRecord = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('file'),
    path: z.string(),
    sizeBytes: z.int().min(0),
    isExecutable: z.boolean(),
  }),
  z.strictObject({ type: z.literal('link'), path: z.string(), target: z.string() }),
  z.strictObject({ type: z.literal('program'), path: z.string() }),
]);
export type TreeRecord = z.infer<typeof treeRecord>;

/** A record with more bytes is refused. */
export const maxRecordBytes = 8192;

export function encodeRecord(record: TreeRecord): Buffer {
  const text = Buffer.from(JSON.stringify(record));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}
