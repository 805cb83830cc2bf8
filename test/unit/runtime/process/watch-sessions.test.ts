/**
 * Hints about the sessions of this machine: files as a host writes them, and real
 * processes in the place of hosts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { sessionFiles } from '../../../../runtime/process/layout.ts';
import { identify } from '../../../../runtime/process/process-identity.ts';
import { watchSessions } from '../../../../runtime/process/watch-sessions.ts';
import { writeRecord } from '../../../../runtime/process/write-record.ts';
import { eventually } from '../../../support/eventually.ts';

let sessionsDirectory: string;
let hints: string[];
let stops: (() => void)[];
let hosts: ChildProcess[];

beforeEach(() => {
  sessionsDirectory = mkdtempSync(join(tmpdir(), 'watched-'));
  hints = [];
  stops = [];
  hosts = [];
});
afterEach(() => {
  for (const stop of stops) {
    stop();
  }
  for (const host of hosts) {
    host.kill('SIGKILL');
  }
  rmSync(sessionsDirectory, { recursive: true });
});

const start = () => {
  const stop = watchSessions(sessionsDirectory, (id) => hints.push(id), pino({ level: 'silent' }));
  stops.push(stop);
  return stop;
};
const directoryOf = (id: string) => join(sessionsDirectory, id);

function addSession(id = randomUUID()) {
  mkdirSync(directoryOf(id));
  const host = spawn('sleep', ['600']);
  hosts.push(host);
  writeRecord(sessionFiles(directoryOf(id)).host, identify(host.pid));
  return { id, host };
}

const hinted = (id: string) => eventually(() => expect(hints).toContain(id), { everyMs: 5 });
const writeState = (id: string) =>
  writeRecord(sessionFiles(directoryOf(id)).state, { started: true, containers: [] });

/**
 * All that happened before has been hinted at: a session that comes now is found by a later look, and
 * its state by a later event.
 */
async function quiet(): Promise<void> {
  const { id } = addSession();
  await hinted(id);
  drop(id);
  writeState(id);
  await hinted(id);
  drop(id);
}
const drop = (id: string) => {
  hints = hints.filter((hint) => hint !== id);
};

/** The first hint at a session after everything before has been hinted at. */
async function hintAfter(act: () => void, id: string): Promise<void> {
  await quiet();
  hints.length = 0;
  act();
  await hinted(id);
}

describe('the watch of the sessions of a machine', () => {
  it('names the sessions that are there, and those that come', async () => {
    const { id: earlier } = addSession();
    start();
    expect(hints).toEqual([earlier]);
    const { id: later } = addSession();
    await hinted(later);
  });

  it('says by an event of the file system when a host wrote its state, and nothing while nothing happens', async () => {
    const { id } = addSession();
    start();
    // Looks do not read it.
    await hintAfter(() => writeState(id), id);
    await quiet();
    hints.length = 0;
    await quiet();
    expect(hints).toEqual([]);
  });

  it('says that a host was killed, once', async () => {
    const { id, host } = addSession();
    start();
    await hintAfter(() => host.kill('SIGKILL'), id);
    await quiet();
    expect(hints).toEqual([id]);
  });

  it('says that a session was removed, and watches the one that is started in its place', async () => {
    const { id } = addSession();
    start();
    await hintAfter(() => rmSync(directoryOf(id), { recursive: true }), id);
    const { host } = addSession(id);
    await hintAfter(() => host.kill('SIGKILL'), id);
  });

  it('watches a session whose empty directory is removed and made again between two looks', async () => {
    const id = randomUUID();
    mkdirSync(directoryOf(id));
    start();
    rmdirSync(directoryOf(id));
    const { host } = addSession(id);
    await hintAfter(() => host.kill('SIGKILL'), id);
  });

  it('ignores what processes write below the session, and says nothing once stopped', async () => {
    const { id, host } = addSession();
    mkdirSync(sessionFiles(directoryOf(id)).logs);
    const stop = start();
    await quiet();
    hints.length = 0;
    writeRecord(sessionFiles(directoryOf(id)).log('agent'), {});
    writeRecord(join(directoryOf(id), 'another-file'), {});
    await quiet();
    expect(hints).toEqual([]);
    stop();
    host.kill('SIGKILL');
    // Another watch sees that the host ended.
    const seen: string[] = [];
    stops.push(watchSessions(sessionsDirectory, (hint) => seen.push(hint), pino({ level: 'silent' })));
    await eventually(() => expect(seen.filter((hint) => hint === id)).toHaveLength(2));
    expect(hints).toEqual([]);
  });
});
