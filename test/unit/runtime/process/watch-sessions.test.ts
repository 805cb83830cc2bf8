/** Hints about the sessions of this machine: files as a host writes them, and real processes in the place of hosts. */
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
const quiet = () => new Promise((resolve) => setTimeout(resolve, 600));

/** Hints that come after everything before has been hinted at. */
async function hintsAfter(act: () => void, id: string): Promise<number> {
  await quiet();
  hints.length = 0;
  const startedMs = performance.now();
  act();
  await hinted(id);
  return performance.now() - startedMs;
}

describe('the watch of the sessions of a machine', () => {
  it('names the sessions that are there, and those that come', async () => {
    const { id: earlier } = addSession();
    start();
    expect(hints).toEqual([earlier]);
    const { id: later } = addSession();
    await hinted(later);
  });

  it('says at once when a host wrote its state, and nothing while nothing happens', async () => {
    const { id } = addSession();
    start();
    const write = () => writeRecord(sessionFiles(directoryOf(id)).state, { started: true, containers: [] });
    expect(await hintsAfter(write, id)).toBeLessThan(500);
    await quiet();
    hints.length = 0;
    await quiet();
    expect(hints).toEqual([]);
  });

  it('says within half a second that a host was killed, once', async () => {
    const { id, host } = addSession();
    start();
    // A busy machine is late itself.
    expect(await hintsAfter(() => host.kill('SIGKILL'), id)).toBeLessThan(2000);
    await quiet();
    expect(hints).toEqual([id]);
  });

  it('says that a session was removed, and watches the one that is started in its place', async () => {
    const { id } = addSession();
    start();
    await hintsAfter(() => rmSync(directoryOf(id), { recursive: true }), id);
    const { host } = addSession(id);
    await hintsAfter(() => host.kill('SIGKILL'), id);
  });

  it('watches a session whose empty directory is removed and made again between two looks', async () => {
    const id = randomUUID();
    mkdirSync(directoryOf(id));
    start();
    rmdirSync(directoryOf(id));
    const { host } = addSession(id);
    await hintsAfter(() => host.kill('SIGKILL'), id);
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
    await quiet();
    expect(hints).toEqual([]);
  });
});
