/** Sessions in a private repository, for tests that kill what works on it. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { TakePatch } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import { type GitServer, gitPassword, startGitServer } from '../../support/git-server.ts';
import { processLimits } from '../../support/process-limits.ts';
import { processesMentioning } from '../../support/processes.ts';
import { secretsWith } from './driver-under-test.ts';
import { type ProcessDriver, processDriver, traceOf } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';
import { startWorkerProcess } from './worker-process.ts';

const workerScript = new URL('./inside/repository-worker.ts', import.meta.url);
/** Changes a file, says so, and stays until it is told to end. */
export const works = 'echo mine > mine.txt; echo ready; sleep 1000 & wait';

export let git: GitServer;
let reports: Reports;
export let driver: ProcessDriver;
export let runtime: Awaited<ReturnType<ProcessDriver['open']>>;
let takenFile: string;
/** By session, what this worker was handed over. */
const taken = new Map<string, Parameters<TakePatch>[1][]>();
const workers: ChildProcess[] = [];

export interface Prepared {
  id: string;
  spec: ReturnType<typeof runtime.render>;
  secrets: ReturnType<typeof secretsWith>;
  start(): Promise<void>;
}

/** A session in a private repository, whose agent runs a script in a shell. */
export function prepare(script = works): Prepared {
  const id = randomUUID();
  const repository = { name: 'project', url: git.url('team/private'), ref: 'main', credential: null };
  const agent = { run: { type: 'command' as const, command: 'sh', args: ['-c', script] }, repository };
  const spec = runtime.render(configuration({ session_id: id, agent }));
  const secrets = secretsWith(id, { repositoryCredential: gitPassword });
  return { id, spec, secrets, start: () => runtime.start(spec, secrets) };
}

export async function untilReady(id: string): Promise<void> {
  await eventually(async () => expect(await runtime.logs(id, 'agent', 100)).toContain('ready'));
}

export async function working(script?: string): Promise<Prepared> {
  const session = prepare(script);
  await session.start();
  await untilReady(session.id);
  return session;
}

type Moment = 'fetched' | 'started' | 'asked' | 'making' | 'made' | 'taken' | 'never';

/** A second worker, with one piece of work. */
export function worker(
  work: 'start' | 'stop' | 'patch',
  { id, spec, secrets }: Prepared,
  diesAt: Moment = 'never',
): ChildProcess {
  const options = driver.workerOptions(reports.url);
  const session = { spec, secrets, directory: directoryOf(id) };
  const input = { options, gitHost: git.host, work, ...session, takenFile, diesAt };
  const started = startWorkerProcess(workerScript, input);
  workers.push(started);
  return started;
}

export async function killed(process: ChildProcess): Promise<void> {
  if (process.exitCode === null && process.signalCode === null) {
    await once(process, 'exit');
  }
  expect(process.signalCode).toBe('SIGKILL');
}

export async function kill(process: ChildProcess): Promise<void> {
  process.kill('SIGKILL');
  await killed(process);
}

/** What was handed over of a session by any worker, as text. */
export const handedOver = (id: string): string[] => [
  ...readFileSync(takenFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'base64').toString()),
  ...(taken.get(id) ?? []).map((made) => ('patch' in made ? made.patch.toString() : made.problem)),
];

/** Of processes of a session: those with such a command line. */
export const pidsOf = async (id: string, commandLine: RegExp): Promise<number[]> =>
  (await processesMentioning(''))
    .filter((each) => commandLine.test(each.commandLine) && belongsTo(id, each.pid))
    .map(({ pid }) => pid);

const belongsTo = (id: string, pid: number) =>
  ['environ', 'mountinfo', 'cwd'].some((trace) => traceOf(`${pid}`, trace).includes(id));

/** One of them, as soon as there is one. */
export const killOne = (id: string, commandLine: RegExp): Promise<void> =>
  eventually(
    async () => {
      const [pid] = await pidsOf(id, commandLine);
      expect(pid).toBeDefined();
      process.kill(pid ?? 0, 'SIGKILL');
    },
    { everyMs: 1 },
  );

export const untilAsked = () => eventually(() => expect(git.requests.length).toBeGreaterThan(0));
export const directoryOf = (id: string) => driver.directoryOf(id);

export async function expectNothingRuns(id: string): Promise<void> {
  await eventually(async () => expect(await driver.running(id)).toEqual([]));
  expect(await processesMentioning(gitPassword)).toEqual([]);
}

/** In what a worker left, in whatever form it was sent. */
export function expectNoSecretIn(id: string): void {
  const forms = [gitPassword, Buffer.from(gitPassword).toString('base64')];
  for (const name of readdirSync(directoryOf(id), { recursive: true, encoding: 'utf8' })) {
    const path = join(directoryOf(id), name);
    if (statSync(path).isFile()) {
      const text = readFileSync(path, 'latin1');
      expect({ path, found: forms.filter((form) => text.includes(form)) }).toEqual({ path, found: [] });
    }
  }
}

export async function expectNothingLeft(id: string): Promise<void> {
  await expectNothingRuns(id);
  expect(existsSync(directoryOf(id))).toBe(false);
  expect(readdirSync(driver.sessionsDirectory)).toEqual([]);
}

/** Before a session has a record: the process in its directory. */
export const programOf = (id: string, program: string): Promise<number> =>
  eventually(async () => {
    const found = (await processesMentioning(program)).find(
      ({ pid }) => traceOf(`${pid}`, 'cwd') === directoryOf(id),
    );
    expect(found).toBeDefined();
    return found?.pid ?? 0;
  });

/** One worker, host of repositories and place of patches for the file. */
export function useRepositorySessions(): void {
  beforeAll(async () => {
    takenFile = join(mkdtempSync(join(tmpdir(), 'taken-')), 'patches');
    git = await startGitServer();
    reports = await takeReports();
    driver = processDriver({
      containers: { ...processLimits, workspaceBytes: 48 * 1024 * 1024 },
      packages: { npmRegistryUrl: null, pypiIndexUrl: null, caFile: git.caFile },
      privateRepositoryHosts: new Map([[git.host, 'https']]),
      takePatch: async (id, made) => void taken.set(id, [...(taken.get(id) ?? []), made]),
    });
    runtime = await driver.open(reports.url);
  });
  beforeEach(() => writeFileSync(takenFile, ''));
  afterEach(async () => {
    git.hold(false);
    for (const each of workers.splice(0)) {
      each.kill('SIGKILL');
    }
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    git.requests.length = 0;
  });
  afterAll(async () => {
    driver.remove();
    rmSync(join(takenFile, '..'), { recursive: true });
    await reports.close();
    await git.close();
  });
}
