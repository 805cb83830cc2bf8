import { createHash } from 'node:crypto';

/**
 * The same parts give the same UUID, so that an event of one cause is written once, however often it is retried. Version 8:
 * sidecars may choose version 4 only (`chosenId` in `contract/names.ts`), so they cannot claim one of these in advance.
 */
export function derivedId(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(parts.join('\0')).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
