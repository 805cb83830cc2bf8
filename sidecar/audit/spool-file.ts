/**
 * The file of the spool (contract/audit-spool.ts). A record is written to the system's page cache before its
 * caller goes on, so no death of a process loses it, and is on disk at most 100 ms later, or before its
 * caller goes on where each call waits for that.
 */
import { fdatasync, renameSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as loopTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { AuditSync } from '../../contract/audit-spool.ts';
import { describeError } from '../../contract/sentences.ts';

export interface SpoolFile {
  /**
   * Writes the record. True: what it records may happen. False: the record may be lost, so that must
   * not happen. A promise only where there is something to wait for: the sync of each call, a disk
   * that is late, or a new file.
   */
  commit(record: string): boolean | Promise<boolean>;
  /** The record is written with the next one, or at the end of this turn of the event loop. */
  append(record: string): void;
  /** Resolves when everything so far is on disk, as far as possible. */
  settled(): Promise<void>;
  /** Accepts no more records. With `remove` it also deletes the file: everything in it has been delivered. */
  close(options: { remove: boolean }): Promise<void>;
}

export interface SpoolFileOptions {
  path: string;
  sync: AuditSync;
  /** Everything that still has to be on disk, including unwritten records: the content of a new file. */
  records(): string[];
  /** The file is compacted when larger than this; the threshold grows for a busy one. */
  compactAtBytes: number;
  /** Called each time that the spool stops or starts working. Never throws. */
  onChange(works: boolean, reason: string): void;
  /** Overrides the system's write and sync. */
  system?: System;
}

interface System {
  write(descriptor: number, bytes: Buffer, offset: number, length: number, position: number): number;
  sync(descriptor: number): Promise<void>;
}

/** How old an unsynced record may become before the next call waits for the disk. */
const maxUnsyncedMs = 100;
/** When its sync begins; the rest of the time is the disk's. */
const syncAfterMs = 50;
const repairIntervalMs = 200;
const maxCompactAtBytes = 4 * 1024 * 1024;
/** `fdatasync` at half the cost of FileHandle's promise. */
const realSystem: System = { write: writeSync, sync: promisify(fdatasync) };

export async function readSpoolFile(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return Buffer.alloc(0);
    }
    throw error;
  });
}

export function createSpoolFile(options: SpoolFileOptions): SpoolFile {
  return new WrittenFile(options);
}

type Settle = (isSafe: boolean) => void;

class WrittenFile implements SpoolFile {
  readonly #options: SpoolFileOptions;
  readonly #system: System;
  /** Null: no usable file; the next record, or after a failure the repair, starts a new one. */
  #file: FileHandle | null = null;
  #sizeBytes = 0;
  #compactAtBytes = 0;
  #works = true;
  #isClosed = false;
  /** Records that are written with the next one. */
  #appended = '';
  /** What came since the content of the file in the making was taken; null while none is made. */
  #late: string[] | null = null;
  /** The sync or the new file in progress: one at a time. */
  #job: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Age of the oldest record that no job has begun to sync, and of the oldest in the job in progress. */
  #unsyncedSinceMs: number | null = null;
  #syncingSinceMs: number | null = null;
  /** Callers that wait until their record is on disk. */
  #waiting: Settle[] = [];

  constructor(options: SpoolFileOptions) {
    this.#options = options;
    this.#system = options.system ?? realSystem;
  }

  commit(record: string): boolean | Promise<boolean> {
    if (!this.#write(record)) {
      return false;
    }
    const mustWait =
      this.#file === null || !this.#works || this.#options.sync === 'each-call' || this.#isOverdue();
    const isKept = mustWait ? new Promise<boolean>((settle) => this.#waiting.push(settle)) : true;
    this.#schedule();
    return isKept;
  }

  append(record: string): void {
    if (this.#appended === '') {
      setImmediate(() => this.#flush());
    }
    this.#appended += record;
  }

  async settled(): Promise<void> {
    this.#flush();
    // What a failure kept from the disk gets one more chance.
    let isDue = !this.#works || this.#unsyncedSinceMs !== null;
    while (isDue || this.#job !== null) {
      if (this.#job === null) {
        this.#start();
      }
      await this.#job;
      isDue = this.#unsyncedSinceMs !== null;
    }
  }

  async close({ remove }: { remove: boolean }): Promise<void> {
    await this.settled();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#file?.close().catch(() => undefined);
    this.#file = null;
    if (remove) {
      await rm(this.#options.path, { force: true });
    }
  }

  #flush(): void {
    if (this.#appended !== '') {
      this.#write('');
      this.#schedule();
    }
  }

  /** To the page cache, which is quick. False: nothing takes the record. */
  #write(record: string): boolean {
    const records = this.#appended + record;
    this.#appended = '';
    if (this.#isClosed || (!this.#works && this.#late === null)) {
      return false;
    }
    this.#unsyncedSinceMs ??= performance.now();
    this.#late?.push(records);
    if (this.#file !== null) {
      try {
        this.#sizeBytes += this.#writeAll(this.#file, records, this.#sizeBytes);
      } catch (error) {
        this.#fail(error);
        return false;
      }
    }
    return true;
  }

  /** Returns how many bytes it wrote. */
  #writeAll(file: FileHandle, text: string, position: number): number {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) {
      done += this.#system.write(file.fd, bytes, done, bytes.length - done, position + done);
    }
    return bytes.length;
  }

  #isOverdue(): boolean {
    const sinceMs = this.#syncingSinceMs ?? this.#unsyncedSinceMs;
    return sinceMs !== null && performance.now() - sinceMs >= maxUnsyncedMs;
  }

  get #needsNewFile(): boolean {
    return this.#file === null || this.#sizeBytes > this.#compactAtBytes;
  }

  /** Begins what is due, now or in time. Every end of a job comes back here. */
  #schedule(): void {
    if (this.#job !== null || this.#isClosed) {
      return;
    }
    if (!this.#works) {
      this.#timer ??= setTimeout(() => this.#start(), repairIntervalMs);
    } else if (this.#needsNewFile || this.#waiting.length > 0) {
      this.#start();
    } else if (this.#unsyncedSinceMs !== null) {
      this.#timer ??= setTimeout(() => this.#start(), syncAfterMs);
    }
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const job = this.#file === null || this.#needsNewFile ? this.#replaceFile() : this.#syncFile(this.#file);
    this.#job = job
      .catch((error: unknown) => this.#fail(error))
      .then(() => {
        this.#job = null;
        this.#schedule();
      });
  }

  async #syncFile(file: FileHandle): Promise<void> {
    // What arrives in one turn of the event loop, from whatever connection, shares the sync.
    await loopTurn();
    this.#flush();
    await this.#settle(() => this.#system.sync(file.fd));
  }

  /**
   * Whoever waits as the work begins learns whether it succeeded; who commits right after that does
   * not wait for it any more.
   */
  async #settle(work: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#syncingSinceMs = this.#unsyncedSinceMs;
    this.#unsyncedSinceMs = null;
    let isSafe = false;
    try {
      await work();
      isSafe = true;
    } finally {
      this.#syncingSinceMs = null;
      for (const settle of waiting) {
        settle(isSafe);
      }
    }
  }

  /**
   * Written next to the old one and renamed atomically: at any moment a complete file exists.
   * Records go on into the old one.
   */
  async #replaceFile(): Promise<void> {
    const { path, records, compactAtBytes } = this.#options;
    this.#late = [];
    const bytes = Buffer.from(records().join(''));
    // Zero-filled up to the next compaction: a sync that does not change the file size is a quarter quicker.
    const grown = Math.min(2 * this.#compactAtBytes, maxCompactAtBytes);
    const room = Math.max(compactAtBytes, grown, 2 * bytes.length);
    try {
      await this.#settle(async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const file = await openWith(`${path}.new`, Buffer.concat([bytes, Buffer.alloc(room - bytes.length)]));
        await this.#moveTo(file, bytes.length);
        this.#compactAtBytes = room;
        await syncDirectory(dirname(path));
        this.#report(true, 'written');
      });
    } finally {
      this.#late = null;
    }
  }

  /** Without a pause, so that no record is only in the file that goes. */
  async #moveTo(file: FileHandle, sizeBytes: number): Promise<void> {
    const { path } = this.#options;
    const old = this.#file;
    try {
      this.#sizeBytes = sizeBytes + this.#writeAll(file, this.#late?.join('') ?? '', sizeBytes);
      renameSync(`${path}.new`, path);
      this.#file = file;
    } catch (error) {
      await discard(file, `${path}.new`);
      throw error;
    }
    await old?.close().catch(() => undefined);
  }

  /** After a failed write or sync the file's state on disk is unknown: it is not used again. */
  #fail(error: unknown): void {
    const file = this.#file;
    this.#file = null;
    this.#unsyncedSinceMs = null;
    // Its descriptor is used until the job ends.
    void (this.#job ?? Promise.resolve()).then(() => file?.close()).catch(() => undefined);
    for (const settle of this.#waiting.splice(0)) {
      settle(false);
    }
    this.#report(false, describeError(error));
    this.#schedule();
  }

  #report(works: boolean, reason: string): void {
    if (works !== this.#works) {
      this.#works = works;
      this.#options.onChange(works, reason);
    }
  }
}

/** A new file with this content, on disk. Leaves none behind when it throws. */
async function openWith(path: string, content: Buffer): Promise<FileHandle> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
    return file;
  } catch (error) {
    await discard(file, path);
    throw error;
  }
}

async function discard(file: FileHandle, path: string): Promise<void> {
  await file.close().catch(() => undefined);
  await rm(path, { force: true }).catch(() => undefined);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
