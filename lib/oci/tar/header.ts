/** One 512-byte header of a tar archive (POSIX ustar, GNU), and the records of a pax header. Pure. */
import { ImageError } from '../errors.ts';

export const blockBytes = 512;

export interface TarHeader {
  path: string;
  /** The type as one character; NUL is `0`. */
  typeFlag: string;
  sizeBytes: number;
}

export function isZeroBlock(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** Throws ImageError `unreadable_layer` for a wrong checksum or an invalid number. */
export function parseHeader(block: Buffer): TarHeader {
  const checksum = parseNumber(block, 148, 8);
  // The checksum's own field counts as eight spaces.
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== checksum) {
    throw unreadable('a header has a wrong checksum');
  }
  const name = parseText(block, 0, 100);
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? parseText(block, 345, 155) : '';
  const flag = block.toString('latin1', 156, 157);
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    typeFlag: flag === '\0' ? '0' : flag,
    sizeBytes: parseNumber(block, 124, 12),
  };
}

/** `length key=value\n` records. A later one of the same key wins, as everywhere. Throws ImageError. */
export function parsePaxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  let rest = bytes;
  while (rest.length > 0) {
    const space = rest.indexOf(0x20);
    const digits = rest.toString('latin1', 0, Math.max(space, 0));
    const length = Number(digits);
    const equals = rest.indexOf(0x3d);
    const isWhole = length <= rest.length && rest[length - 1] === 0x0a;
    if (!/^[1-9]\d{0,8}$/.test(digits) || !isWhole || equals < space || equals >= length) {
      throw unreadable('a pax header is malformed');
    }
    records.set(rest.toString('utf8', space + 1, equals), rest.toString('utf8', equals + 1, length - 1));
    rest = rest.subarray(length);
  }
  return records;
}

/** Text up to its first NUL. */
export function parseText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

/** Octal digits, or GNU's base 256 for larger numbers. */
function parseNumber(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    // The first byte must be only the marker: whatever needs its other bits, or a sign, is not a size.
    const value = field.subarray(1).reduce((total, byte) => total * 256 + byte, 0);
    return requireSize(field[0] === 0x80 ? value : Number.NaN);
  }
  const digits = field.toString('latin1').replace(/^[ \0]+|[ \0]+$/g, '');
  return requireSize(/^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN);
}

/** Throws ImageError unless it is a safe non-negative integer. */
export function requireSize(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw unreadable('a header holds a number that is none');
  }
  return value;
}

export function unreadable(reason: string): ImageError {
  return new ImageError('unreadable_layer', `a layer of the image is not a readable tar archive: ${reason}`);
}
