/** The file of the spool (contract/audit-spool.ts): records are durable before callers go on, with group commit. */
import { fdatasync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as loopTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface SpoolFile {
  /** True once the record is on disk. False: it may not be, so what it records must not happen. */
  commit(record: string): Promise<boolean>;
  /** The record is written soon, without waiting. */
  append(record: string): void;
  /** Resolves when everything so far is written, as far as possible. */
  settled(): Promise<void>;
  /** Accepts no more records. With `remove` it also deletes the file: everything in it has been delivered. */
  close(options: { remove: boolean }): Promise<void>;
}

export interface SpoolFileOptions {
  path: string;
  /** Everything that still has to be on disk, including unwritten records: the content of a new file. */
  records(): string[];
  /** The file is compacted when larger than this; the threshold grows for a busy one. */
  compactAtBytes: number;
  /** Called each time that the spool stops or starts working. Never throws. */
  onChange(works: boolean, reason: string): void;
}

interface Waiting {
  record: string;
  settle: ((durable: boolean) => void) | null;
}

/** Min interval of retries for a spool that cannot be written; the next record triggers one. */
const repairIntervalMs = 200;
const maxCompactAtBytes = 4 * 1024 * 1024;
/** Half the cost of FileHandle's promise. */
const syncData = promisify(fdatasync);

export async function readSpoolFile(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return Buffer.alloc(0);
    }
    throw error;
  });
}

export function createSpoolFile(options: SpoolFileOptions): SpoolFile {
  return new GroupCommittedFile(options);
}

class GroupCommittedFile implements SpoolFile {
  readonly #options: SpoolFileOptions;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  /** Null: no writable file; the next record starts a new one. */
  #file: FileHandle | null = null;
  #sizeBytes = 0;
  #compactAtBytes = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #works = true;
  #closed = false;

  constructor(options: SpoolFileOptions) {
    this.#options = options;
  }

  commit(record: string): Promise<boolean> {
    return new Promise((settle) => this.#add({ record, settle }));
  }

  append(record: string): void {
    this.#add({ record, settle: null });
  }

  async settled(): Promise<void> {
    while (this.#writing !== null) {
      await this.#writing;
    }
  }

  async close({ remove }: { remove: boolean }): Promise<void> {
    await this.settled();
    this.#closed = true;
    await this.#file?.close().catch(() => undefined);
    this.#file = null;
    if (remove) {
      await rm(this.#options.path, { force: true });
    }
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#writing ??= this.#writeGroups();
  }

  /** Everything that arrived while one group was being written forms the next group. */
  async #writeGroups(): Promise<void> {
    // What arrives in one turn of the event loop, from whatever connection, shares the first group already.
    await loopTurn();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const durable = await this.#writeGroup(group);
      for (const { settle } of group) {
        settle?.(durable);
      }
    }
    this.#writing = null;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<boolean> {
    if (this.#closed || (!this.#works && performance.now() - this.#failedAtMs < repairIntervalMs)) {
      return false;
    }
    try {
      if (this.#file === null || this.#sizeBytes > this.#compactAtBytes) {
        await this.#startNewFile();
      } else {
        this.#write(this.#file, Buffer.from(group.map(({ record }) => record).join('')));
        if (group.some(({ settle }) => settle !== null)) {
          await syncData(this.#file.fd);
        }
      }
      this.#report(true, 'written');
      return true;
    } catch (error) {
      // After a failed write or sync the file's state on disk is unknown: it is not used again.
      await this.#file?.close().catch(() => undefined);
      this.#file = null;
      this.#failedAtMs = performance.now();
      this.#report(false, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** To the page cache only, which is quick; the slow part is the sync, which blocks nothing else. */
  #write(file: FileHandle, bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file.fd, bytes, done, bytes.length - done, this.#sizeBytes + done);
    }
    this.#sizeBytes += bytes.length;
  }

  /** Written next to the old one and renamed atomically: at any moment a complete file exists. */
  async #startNewFile(): Promise<void> {
    const { path, records, compactAtBytes } = this.#options;
    const bytes = Buffer.from(records().join(''));
    // Zero-filled up to the next compaction: a sync that does not change the file size is a quarter quicker.
    const grown = Math.min(2 * this.#compactAtBytes, maxCompactAtBytes);
    const room = Math.max(compactAtBytes, grown, 2 * bytes.length);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(Buffer.concat([bytes, Buffer.alloc(room - bytes.length)]));
      await file.sync();
      await rename(`${path}.new`, path);
      await syncDirectory(dirname(path));
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(`${path}.new`, { force: true }).catch(() => undefined);
      throw error;
    }
    await this.#file?.close().catch(() => undefined);
    this.#file = file;
    this.#sizeBytes = bytes.length;
    this.#compactAtBytes = room;
  }

  #report(works: boolean, reason: string): void {
    if (works !== this.#works) {
      this.#works = works;
      this.#options.onChange(works, reason);
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
