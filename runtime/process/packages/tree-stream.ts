/**
 * The wire format in which a sandbox sends loaded packages: records, each a length, a line of JSON and the
 * bytes of a file. The platform only reads this stream, and never the sandbox's files itself.
 */
import * as z from 'zod';

/**
 * Where the packages are in every sandbox, the one that loads them and those that run them:
 * programs embed their own paths.
 */
export const packagesInside = '/opt/packages';

/** A path below it, and its content. `program`, the one to run, ends the stream. */
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

/** Larger records are refused. */
export const maxRecordBytes = 8192;

export function encodeRecord(record: TreeRecord): Buffer {
  const text = Buffer.from(JSON.stringify(record));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}
