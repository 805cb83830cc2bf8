/** Everything that sessions wait with is killed while they wait: each ends or goes on as it should, once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { demoIssuer } from '../../../api/auth/routes.ts';
import { type RunningTemporal, startTemporal } from '../../../bin/start/temporal.ts';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import type { WorkloadState } from '../../../runtime/workload.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { caller, testEnvironment } from '../../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { FrontDoor } from '../../support/front-door.ts';
import { volume } from '../../support/mode.ts';
import { temporalProgram } from '../../support/temporal-program.ts';
import { writeState } from './inside/file-runtime.ts';

const count = volume({ quick: 8, full: 12, long: 500 }, 'WAITING_SESSIONS');
/** A look at a workload that its worker took with it is repeated after half a minute. */
const limitMs = 300_000 + count * 2000;
const startedAtOnce = 8;
const soon = { withinMs: limitMs / 3, everyMs: 250 };
const directory = mkdtempSync(join(tmpdir(), 'waiting-'));
const workloads = join(directory, 'workloads');
const root = fileURLToPath(new URL('../../../', import.meta.url));
const workerProgram = fileURLToPath(new URL('inside/waiting-worker.ts', import.meta.url));

let database: TestDatabase;
let temporal: RunningTemporal;
let environment: Record<string, string>;
let url: string;
let api: ChildProcess;
let worker: ChildProcess;

const runTemporal = (preferredPort: number) =>
  startTemporal({
    ...{ program: temporalProgram(), directory: join(directory, 'temporal'), hasUi: false },
    preferredPort,
  });

function run(argv: string[]): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, argv, {
    env: { ...environment, PATH, TEST_TEMPORAL_ADDRESS: temporal.address },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function runWorker(): Promise<void> {
  worker = run(['--import', 'tsx', workerProgram, workloads]);
  await new Promise((resolve) => worker.stdout?.once('data', resolve));
}

async function runApi(): Promise<void> {
  api = run([join(root, 'dist/api.js')]);
  api.stdout?.resume();
  await eventually(async () => expect((await fetch(`${url}/api/health`)).status).toBe(200));
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

beforeAll(async () => {
  mkdirSync(workloads);
  database = await createTestDatabase();
  temporal = await runTemporal(await chooseTestPort());
  const port = await chooseTestPort();
  url = `http://127.0.0.1:${port}`;
  environment = testEnvironment({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    PORT: String(port),
    LOG_LEVEL: 'error',
  });
  await Promise.all([runApi(), runWorker()]);
});
afterAll(async () => {
  await Promise.all([kill(api), kill(worker), temporal.stop()]);
  await database.drop();
  rmSync(directory, { recursive: true });
});

async function signInAsAdmin(): Promise<FrontDoor> {
  const email = 'ada.admin@demo.test';
  const user = await upsertUser(database.db, { issuer: demoIssuer, subject: email, email, name: 'Ada' });
  await createWorkspace(database.db, { slug: 'waiting', name: 'W' }, user);
  return FrontDoor.signIn(url, email, 'waiting');
}

async function startWaiting(admin: FrontDoor): Promise<string[]> {
  const agent = await admin.createAgent('waiting', [], {});
  const seed = Buffer.from(environment['SESSION_KEY_SEED'] ?? '', 'base64');
  const startOne = async () => {
    const session = await admin.startSession(agent.id);
    const token = { [internalTokenHeader]: internalToken(seed, session.id) };
    const ready = { control_url: 'http://127.0.0.1:1' };
    await eventually(async () => {
      const answer = await caller(url).send('POST', `/internal/sessions/${session.id}/ready`, ready, token);
      expect(answer.status).toBe(200);
    }, soon);
    return session.id;
  };
  const ids: string[] = [];
  while (ids.length < count) {
    const more = Math.min(startedAtOnce, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: more }, startOne))));
  }
  await haveStatus(ids, 'running');
  return ids;
}

async function haveStatus(ids: string[], status: string): Promise<void> {
  await eventually(async () => {
    const rows = await database.db('sessions').whereIn('id', ids).select('id', 'status');
    expect(rows.filter((row) => row.status !== status)).toEqual([]);
  }, soon);
}

/** How often each session ended, by its events and by the audit trail. */
async function endsOf(ids: string[]): Promise<number[]> {
  const events = await database
    .db('session_events')
    .whereRaw(`payload->>'to' in ('completed', 'failed', 'terminated')`)
    .select('session_id');
  const audited = await database.db('audit_events').where({ event: 'session.ended' }).select('session_id');
  const times = (rows: { session_id: string | null }[], id: string) =>
    rows.filter(({ session_id }) => session_id === id).length;
  return ids.map((id) => {
    expect(times(audited, id)).toBe(times(events, id));
    return times(events, id);
  });
}

const exitedWith = (exitCode: number): WorkloadState => ({
  state: 'running',
  containers: [
    { name: 'sidecar', state: 'running' },
    { name: 'agent', state: 'exited', exitCode, signal: null },
  ],
});

it(
  'worker, API and Temporal killed under waiting sessions: each ends as it should, once, or goes on',
  async () => {
    const admin = await signInAsAdmin();
    const ids = await startWaiting(admin);
    const [exit, terminate, fail, stay] = [0, 1, 2, 3].map((rest) =>
      ids.filter((_id, at) => at % 4 === rest),
    ) as [...[string[], string[], string[], string[]]];

    await kill(worker);
    for (const id of exit) {
      writeState(workloads, id, exitedWith(0));
    }
    for (const id of terminate) {
      await admin.ok('POST', `/api/sessions/${id}/terminate`, {});
    }
    await runWorker();
    await haveStatus(exit, 'completed');
    await haveStatus(terminate, 'terminated');

    process.kill(temporal.process.pid, 'SIGKILL');
    for (const id of fail) {
      writeState(workloads, id, exitedWith(3));
    }
    await kill(api);
    await runApi();
    temporal = await runTemporal(temporal.port);
    await haveStatus(fail, 'failed');

    await haveStatus(stay, 'running');
    expect(await endsOf(ids)).toEqual(ids.map((id) => (stay.includes(id) ? 0 : 1)));
    for (const id of stay) {
      await admin.ok('POST', `/api/sessions/${id}/terminate`, {});
    }
    await haveStatus(stay, 'terminated');
    expect(await endsOf(ids)).toEqual(ids.map(() => 1));
  },
  limitMs,
);
