/**
 * Every call that a server received is recorded exactly once, even while processes are killed or
 * records cannot be written.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { auditSpoolPath, readSpool } from '../../../contract/audit-spool.ts';
import type { CallRecord } from '../../../contract/tool-call.ts';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/mode.ts';
import { announcedSeed, seededRandom } from '../../support/seeded-random.ts';
import { bundlePrograms, type Programs } from './programs.ts';
import { TestSession, until } from './session.ts';
import { call, closeWires, initialize, openWire, type Wire } from './wire.ts';

/** Logs each call before it answers: what is in the file was really executed. */
const notingServer = `
  const fs = require('node:fs');
  let text = '';
  process.stdin.on('data', (chunk) => {
    const lines = (text + chunk).split('\\n');
    text = lines.pop();
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') {
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      }
      if (method === 'tools/call') {
        fs.appendFileSync(process.argv[2], params.name + '\\n');
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }) + '\\n');
      }
    }
  });
`;
/** In each of the two tests that kill at random. */
const kills = volume({ quick: 3, full: 4, long: 50 }, 'AUDIT_KILLS');
const serverNames = ['one', 'two', 'three'];

let programs: Programs;
let notes: string;
let seed: number;
let session: TestSession;
beforeAll(async () => {
  programs = await bundlePrograms();
  seed = announcedSeed('audit', 'AUDIT_SEED');
});
afterEach(async () => {
  closeWires();
  await session.stop();
});

const executed = () => readFileSync(notes, 'utf8').trim().split('\n');
const spoolPath = () => join(session.directory, auditSpoolPath);
const spooled = () => (existsSync(spoolPath()) ? readSpool(readFileSync(spoolPath())).calls : []);

async function startSession(limits: ConstructorParameters<typeof TestSession>[2] = {}): Promise<void> {
  const script = join(programs.sidecar, '..', 'noting-server.cjs');
  notes = join(mkdtempSync(join(tmpdir(), 'notes-')), 'calls');
  writeFileSync(script, notingServer);
  writeFileSync(notes, '');
  const server = { command: process.execPath, args: [script, notes] };
  session = new TestSession(programs, Object.fromEntries(serverNames.map((name) => [name, server])), limits);
  await session.start();
}

/**
 * The recorded calls, including those left on disk, as the worker collects them when it removes the session.
 */
function onRecord(): Map<string, CallRecord> {
  const records = new Map<string, CallRecord>();
  for (const record of [...session.platform.calls, ...spooled()]) {
    const known = records.get(record.call_id);
    expect(known === undefined || known.tool === record.tool).toBe(true);
    records.set(record.call_id, known ?? record);
  }
  return records;
}

function expectEachOnce(): Map<string, CallRecord> {
  const records = onRecord();
  const timesByTool = new Map<string, number>();
  for (const { tool } of records.values()) {
    timesByTool.set(tool, (timesByTool.get(tool) ?? 0) + 1);
  }
  const notOnce = executed().filter((tool) => timesByTool.get(tool) !== 1);
  expect({ seed, notOnce }).toEqual({ seed, notOnce: [] });
  return records;
}

/** Sends calls with names that are never used again, until the connection ends. */
async function load(server: string, name: (index: number) => string): Promise<void> {
  const wire = await openWire(session.socketOf(server)).catch(() => null);
  wire?.send(initialize);
  for (let index = 0; wire !== null && !wire.isClosed() && index < 4000; index += 8) {
    wire.send(...Array.from({ length: 8 }, (_, offset) => call(index + offset + 1, name(index + offset))));
    await sleep(1);
  }
}

async function exited(): Promise<void> {
  const { sidecar } = session;
  await until(() => sidecar?.exitCode !== null || sidecar.signalCode !== null, 'the sidecar to end');
}

describe('a sidecar that is killed under load', () => {
  it.each([
    ['reachable', null],
    ['unreachable', 503],
  ])(
    `${kills} times, at random moments, and ends with the platform %s, neither loses nor duplicates a call`,
    async (_, atTheEnd) => {
      const random = seededRandom(seed);
      await startSession();
      for (let round = 0; round <= kills; round += 1) {
        const before = executed().length;
        const loads = serverNames.map((server) => load(server, (index) => `${server}-${round}-${index}`));
        await until(() => executed().length > before, 'the first call of a round');
        session.platform.failWith = random.chance(40) ? 503 : null;
        await sleep(random.below(120));
        if (round === kills) {
          // The last one shuts down gracefully.
          session.platform.failWith = atTheEnd;
        }
        session.sidecar?.kill(round === kills ? 'SIGTERM' : 'SIGKILL');
        await exited();
        closeWires();
        await Promise.all(loads);
        if (round < kills) {
          session.platform.failWith = null;
          await session.startSidecar();
        }
      }
      await sleep(300);

      const records = expectEachOnce();
      const unknown = [...records.values()].filter(({ outcome }) => outcome === 'unknown').length;
      process.stdout.write(
        `audit: seed ${seed}, ${kills} kills, ${executed().length} calls carried out, ${records.size} on record, ${unknown} unknown, ${session.platform.calls.length} reported\n`,
      );
      expect(executed().length).toBeGreaterThan(kills * 5);
      expect(unknown).toBeGreaterThan(0);
      expect(existsSync(spoolPath())).toBe(atTheEnd !== null);
    },
  );
});

describe('a sidecar that is killed as soon as a server has a call', () => {
  it('leaves the record of it, which is written but not synced yet', async () => {
    await startSession();
    session.platform.failWith = 503;
    const wire = await openWire(session.socketOf('one'));
    // The first record makes the file and is on disk with it.
    wire.send(initialize, call(1, 'first'));
    await wire.answerTo(1);
    for (const round of [2, 3, 4]) {
      wire.send(call(round, `last-${round}`));
      await until(() => executed().includes(`last-${round}`), 'the call');
      expect(spooled().map(({ tool }) => tool)).toContain(`last-${round}`);
    }
    session.sidecar?.kill('SIGKILL');
    await exited();
    expectEachOnce();
  });
});

describe('a sidecar whose disk is full', () => {
  const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
  const errorOf = async (wire: Wire, id: number) => JSON.stringify(await wire.answerTo(id));

  (isRoot ? it : it.skip)(
    'lets no call pass until there is room again, and loses none that passed',
    async () => {
      await startSession();
      const directory = join(session.directory, 'audit');
      mkdirSync(directory, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]);
      try {
        const wire = await openWire(session.socketOf('one'));
        wire.send(initialize);
        wire.send(call(1, 'with-room'));
        expect(await errorOf(wire, 1)).not.toContain('audit_unavailable');
        writeFileSync(join(directory, 'ballast'), Buffer.alloc(700 * 1024));
        // The current file has space reserved; only the next one has none.
        const refusedOf = () =>
          wire.received.find((answer) => JSON.stringify(answer).includes('audit_unavailable'));
        for (let id = 2; refusedOf() === undefined && id < 3000; id += 50) {
          wire.send(
            ...Array.from({ length: 50 }, (_, offset) => call(id + offset, `filling-${id + offset}`)),
          );
          await wire.answerTo(id + 49);
        }
        const refusedAt = refusedOf()?.['id'];
        expect(refusedAt).toBeDefined();
        expect(executed()).not.toContain(`filling-${refusedAt}`);
        rmSync(join(directory, 'ballast'));
        let id = 5000;
        await eventually(async () => {
          id += 1;
          wire.send(call(id, `with-room-${id}`));
          expect(await errorOf(wire, id)).not.toContain('audit_unavailable');
        });
        expect(await session.recordOf('one', `filling-${refusedAt}`)).toMatchObject({ outcome: 'refused' });
        await session.recordOf('one', `with-room-${id}`, 'ok');
        expectEachOnce();
      } finally {
        execFileSync('umount', ['-l', directory]);
      }
    },
  );
});

describe('arguments and results', () => {
  const secret = 'only for the two of them';

  it.each([false, true])('with the workspace setting %s', async (logToolPayloads) => {
    const server = { command: process.execPath, args: ['-e', echoServer] };
    session = new TestSession(programs, { echo: server });
    session.logToolPayloads = logToolPayloads;
    await session.start();
    const wire = await openWire(session.socketOf('echo'));
    wire.send(initialize, call(1, 'echo', { text: secret }));
    expect(JSON.stringify(await wire.answerTo(1))).toContain(secret);
    const record = await session.recordOf('echo', 'echo', 'ok');
    const onDisk = readFileSync(spoolPath(), 'utf8');
    if (logToolPayloads) {
      expect(record?.arguments).toEqual({ json: JSON.stringify({ text: secret }), truncated: false });
      expect(record?.result?.json).toContain(secret);
    } else {
      expect(JSON.stringify(record) + onDisk).not.toContain(secret);
      expect(Object.keys(record ?? {})).not.toEqual(expect.arrayContaining(['arguments']));
    }
    expect(session.sidecarLog).not.toContain(secret);
  });
});

const echoServer = `
  process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).split('\\n').filter(Boolean)) {
      const { id, method, params } = JSON.parse(line);
      const result = method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } }
        : { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    }
  });
`;
