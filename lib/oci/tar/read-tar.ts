/**
 * Yields the entries of a streamed tar archive, with a bound on everything held in memory. It
 * stops reading entries where container engines stop (two blocks of zeros) and refuses what is
 * malformed instead of guessing.
 */
import { ByteReader } from './byte-reader.ts';
import {
  blockBytes,
  isZeroBlock,
  parseHeader,
  parsePaxRecords,
  parseText,
  requireSize,
  type TarHeader,
  unreadable,
} from './header.ts';

export interface TarEntry {
  /** As it is written in the archive. */
  path: string;
  type: 'file' | 'directory' | 'symbolic link' | 'hard link' | 'special file';
  sizeBytes: number;
  /** The content. Call it only while the entry is current, and after checking `sizeBytes`. */
  read(): Promise<Buffer>;
}

/** Longer names than any file system takes; a header that claims more is refused before it is read. */
const maxExtensionBytes = 1024 * 1024;
const typeByFlag: Readonly<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '7': 'file',
  '1': 'hard link',
  '2': 'symbolic link',
  '3': 'special file',
  '4': 'special file',
  '5': 'directory',
  '6': 'special file',
};
const sparse = /^GNU\.sparse\./;

/** Throws ImageError `unreadable_layer`, and what the source throws. Ends only when the source has ended. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  let extension: Extension = {};
  for (let header = await nextHeader(reader); header !== null; header = await nextHeader(reader)) {
    const extended = await readExtension(reader, header);
    if (extended !== null) {
      extension = { ...extension, ...extended };
      continue;
    }
    yield* readEntry(reader, header, extension);
    extension = {};
  }
  // The rest belongs to what the digest covers.
  await reader.skip(Number.POSITIVE_INFINITY);
}

/** What an extension header says about the next entry. */
interface Extension {
  path?: string;
  sizeBytes?: number;
  isSparse?: boolean;
}

/** Null at the end of the archive. */
async function nextHeader(reader: ByteReader): Promise<TarHeader | null> {
  const block = await reader.take(blockBytes);
  if (block.length === 0) {
    return null;
  }
  if (block.length < blockBytes) {
    throw unreadable('it ends in the middle of a header');
  }
  if (!isZeroBlock(block)) {
    return parseHeader(block);
  }
  const second = await reader.take(blockBytes);
  if (!isZeroBlock(second)) {
    throw unreadable('something follows a block of zeros');
  }
  return null;
}

async function* readEntry(
  reader: ByteReader,
  header: TarHeader,
  extension: Extension,
): AsyncGenerator<TarEntry> {
  const path = extension.path ?? header.path;
  const type = typeByFlag[header.typeFlag];
  if (type === undefined) {
    throw unreadable(`an entry has the unknown type ${JSON.stringify(header.typeFlag)}`);
  }
  // Only files have content, even if other types claim a size.
  const sizeBytes = type === 'file' ? (extension.sizeBytes ?? header.sizeBytes) : 0;
  let unread = sizeBytes;
  yield {
    path,
    // Before POSIX a directory was a file with a slash. A sparse file's content is not what is stored.
    type: type === 'file' && path.endsWith('/') ? 'directory' : extension.isSparse ? 'special file' : type,
    sizeBytes,
    async read() {
      const content = await reader.take(unread);
      unread -= content.length;
      return content;
    },
  };
  await pass(reader, unread + padding(sizeBytes));
}

/** Null for an ordinary entry. */
async function readExtension(reader: ByteReader, header: TarHeader): Promise<Extension | null> {
  switch (header.typeFlag) {
    case 'x':
      return fromPax(parsePaxRecords(await readExtensionBytes(reader, header)));
    case 'L': {
      const bytes = await readExtensionBytes(reader, header);
      return { path: parseText(bytes, 0, bytes.length) };
    }
    case 'K':
    case 'g':
      // A link's target, and what holds for the whole archive: container engines take
      // no path from the latter.
      await readExtensionBytes(reader, header);
      return {};
    default:
      return null;
  }
}

async function readExtensionBytes(reader: ByteReader, { sizeBytes }: TarHeader): Promise<Buffer> {
  if (sizeBytes > maxExtensionBytes) {
    throw unreadable(`an extension header is larger than ${maxExtensionBytes} bytes`);
  }
  const bytes = await reader.take(sizeBytes);
  await pass(reader, sizeBytes - bytes.length + padding(sizeBytes));
  return bytes;
}

function fromPax(records: ReadonlyMap<string, string>): Extension {
  const path = records.get('GNU.sparse.name') ?? records.get('path');
  const size = records.get('size');
  if (path?.includes('\0') || (size !== undefined && !/^\d{1,16}$/.test(size))) {
    throw unreadable('a pax header is malformed');
  }
  return {
    ...(path === undefined || path === '' ? {} : { path }),
    ...(size === undefined ? {} : { sizeBytes: requireSize(Number(size)) }),
    ...([...records.keys()].some((key) => sparse.test(key)) ? { isSparse: true } : {}),
  };
}

function padding(sizeBytes: number): number {
  return (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
}

async function pass(reader: ByteReader, size: number): Promise<void> {
  if ((await reader.skip(size)) < size) {
    throw unreadable('it ends in the middle of an entry');
  }
}
