/** What is written before a caller goes on, what is on disk when, and what a failed write or sync stops. */
import { fdatasyncSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as loopTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditSync } from '../../../../contract/audit-spool.ts';
import { createSpoolFile, type SpoolFile } from '../../../../sidecar/audit/spool-file.ts';
import { eventually } from '../../../support/eventually.ts';

let directory: string;
let path: string;
let spool: SpoolFile;
/** Everything that the spool has to hold, as the audit trail keeps it in memory. */
let held: string[];
let changes: string[];
let syncs: { atMs: number; content: string }[];
let inFlight: number;
let mostInFlight: number;
let beforeSync: () => Promise<void>;
let beforeWrite: () => void;

beforeEach(() => {
  // The clock stands still but for `pass`, so that a busy machine changes no answer.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  directory = mkdtempSync(join(tmpdir(), 'spool-file-'));
  path = join(directory, 'audit/calls');
  held = [];
  changes = [];
  syncs = [];
  inFlight = 0;
  mostInFlight = 0;
  beforeSync = async () => undefined;
  beforeWrite = () => undefined;
});
afterEach(async () => {
  jest.useRealTimers();
  beforeSync = async () => undefined;
  await spool.close({ remove: true });
  rmSync(directory, { recursive: true, force: true });
});

async function sync(descriptor: number): Promise<void> {
  syncs.push({ atMs: performance.now(), content: onFile() });
  inFlight += 1;
  mostInFlight = Math.max(mostInFlight, inFlight);
  try {
    await beforeSync();
    fdatasyncSync(descriptor);
  } finally {
    inFlight -= 1;
  }
}

/** A spool whose file is there: it holds the record `first`. */
async function open(policy: AuditSync, compactAtBytes = 64 * 1024): Promise<void> {
  spool = createSpoolFile({
    path,
    sync: policy,
    records: () => held,
    compactAtBytes,
    onChange: (works, reason) => changes.push(works ? 'works' : reason),
    system: {
      write(...args) {
        beforeWrite();
        return writeSync(...args);
      },
      sync,
    },
  });
  expect(await commit('first')).toBe(true);
  syncs = [];
}

const commit = (name: string): boolean | Promise<boolean> => {
  held.push(`${name}\n`);
  return spool.commit(`${name}\n`);
};
/** Lets time pass for the spool's timers, and the syncs of that time end. */
async function pass(durationMs: number): Promise<void> {
  await turns();
  jest.advanceTimersByTime(durationMs);
  await turns();
}
async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    await loopTurn();
  }
}
/** A new file takes real work on the disk, and is tried again in intervals. */
const repaired = () =>
  eventually(async () => {
    await pass(1000);
    expect(changes.at(-1)).toBe('works');
  });
const onFile = () => readFileSync(path, 'utf8').replaceAll('\0', '');
const lines = () => onFile().trim().split('\n');
const failOnce = () => {
  let hasFailed = false;
  return () => {
    if (!hasFailed) {
      hasFailed = true;
      throw new Error('the disk is broken');
    }
  };
};

describe('a spool that is synced within 100 ms', () => {
  it('has a record in the file, unsynced, before its caller goes on, and waits for nothing', async () => {
    await open('within-100-ms');
    expect(commit('second')).toBe(true);
    expect(lines()).toEqual(['first', 'second']);
    expect(syncs).toEqual([]);
  });

  it('syncs in time for the oldest record, and never when there is nothing new', async () => {
    await open('within-100-ms');
    await pass(150);
    expect(syncs).toEqual([]);
    const oldestMs = performance.now();
    for (let index = 0; index < 20; index += 1) {
      expect(commit(`record-${index}`)).toBe(true);
      await pass(5);
    }
    await pass(100);
    expect(syncs.at(-1)?.content).toContain('record-19');
    expect((syncs[0]?.atMs ?? 0) - oldestMs).toBeLessThan(100);
    expect(syncs.length).toBeLessThan(6);
    const { length } = syncs;
    await pass(150);
    expect(syncs).toHaveLength(length);
  });

  it('syncs the end of a call, too', async () => {
    await open('within-100-ms');
    spool.append('end\n');
    await pass(100);
    expect(syncs.at(-1)?.content).toContain('end');
  });

  it('makes a call wait once a record is older than 100 ms, one sync at a time', async () => {
    await open('within-100-ms');
    let release = () => {};
    beforeSync = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    expect(commit('second')).toBe(true);
    await pass(120);
    expect(syncs).toHaveLength(1);
    const third = commit('third');
    expect(third).toBeInstanceOf(Promise);
    expect(lines()).toContain('third');
    beforeSync = async () => undefined;
    release();
    expect(await third).toBe(true);
    expect(syncs.at(-1)?.content).toContain('third');
    expect(mostInFlight).toBe(1);
    expect(commit('fourth')).toBe(true);
  });

  it('refuses from a failed sync on, until a new file holds everything', async () => {
    await open('within-100-ms');
    const fail = failOnce();
    beforeSync = async () => fail();
    expect(commit('forwarded')).toBe(true);
    await pass(100);
    expect(changes).toEqual(['the disk is broken']);
    expect(commit('refused')).toBe(false);
    spool.append('dropped, since the memory has it\n');
    await repaired();
    expect(changes).toEqual(['the disk is broken', 'works']);
    expect(lines()).toEqual(['first', 'forwarded', 'refused']);
    expect(commit('passes')).toBe(true);
  });

  it('refuses from a failed write on, until a new file holds everything', async () => {
    await open('within-100-ms');
    beforeWrite = failOnce();
    expect(commit('refused')).toBe(false);
    expect(commit('refused-too')).toBe(false);
    await repaired();
    expect(changes).toEqual(['the disk is broken', 'works']);
    expect(lines()).toEqual(['first', 'refused', 'refused-too']);
    expect(await commit('passes')).toBe(true);
    expect(lines()).toContain('passes');
  });

  it('goes on writing while a full file is replaced, and every record is in the new one', async () => {
    await open('within-100-ms', 4096);
    const long = 'x'.repeat(100);
    for (let index = 0; index < 2000; index += 1) {
      expect(await commit(`${long}${index}`)).toBe(true);
      if (index % 50 === 0) {
        held = held.slice(-20);
        await pass(1);
      }
    }
    await spool.settled();
    const found = new Set(lines());
    expect(held.filter((record) => !found.has(record.trim()))).toEqual([]);
    expect(onFile().length).toBeLessThan(2000 * 100);
  });

  it('is on disk once it has settled', async () => {
    await open('within-100-ms');
    expect(commit('second')).toBe(true);
    spool.append('end\n');
    await spool.settled();
    expect(syncs.at(-1)?.content).toBe('first\nsecond\nend\n');
  });
});

describe('a spool that is synced for each call', () => {
  it('has a record on disk before its caller goes on', async () => {
    await open('each-call');
    const second = commit('second');
    expect(second).toBeInstanceOf(Promise);
    expect(await second).toBe(true);
    expect(syncs.at(-1)?.content).toContain('second');
  });

  it('lets callers of one moment share a sync', async () => {
    await open('each-call');
    expect(await Promise.all(Array.from({ length: 50 }, (_, index) => commit(`call-${index}`)))).toEqual(
      Array.from({ length: 50 }, () => true),
    );
    expect(syncs.length).toBeLessThanOrEqual(2);
  });

  it('refuses exactly those whose sync failed, and goes on with a new file', async () => {
    await open('each-call');
    const fail = failOnce();
    beforeSync = async () => fail();
    expect(await Promise.all([commit('refused'), commit('refused-too')])).toEqual([false, false]);
    await repaired();
    expect(changes).toEqual(['the disk is broken', 'works']);
    expect(await commit('passes')).toBe(true);
  });
});
