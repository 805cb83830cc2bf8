/**
 * Hosts that wait for a session: one takes the next session, and none outlives its worker or leaves anything.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Runtime } from '../../../runtime/workload.ts';
import type { WorkloadPlan } from '../../../runtime/workload-plan/workload-plan.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { configurationThatStays, secretsWith } from './driver-under-test.ts';
import { hostOf, type ProcessDriver, processDriver, traceOf } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

const driver = processDriver({ warmHosts: 1 });
let reports: Reports;
let runtime: Runtime<WorkloadPlan>;

const frozen = (session_id: string) => configurationThatStays({ session_id, servers: [serverNamed('one')] });

const warmDirectories = ({ sessionsDirectory }: ProcessDriver) =>
  readdirSync(sessionsDirectory)
    .filter((name) => name.startsWith('warm-'))
    .map((name) => join(sessionsDirectory, name));

/** Processes whose working directory is this one, by program. */
function programsIn(directory: string): Record<string, number> {
  const pids = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && traceOf(name, 'cwd') === directory,
  );
  return Object.fromEntries(
    pids.map((pid) => [basename(traceOf(pid, 'cmdline').split('\0').at(-2) ?? ''), Number(pid)]),
  );
}

/** The one that waits, once its sidecar waits as well. */
async function waitingHost(): Promise<{ directory: string; host: number; sidecar: number }> {
  let found = { directory: '', host: 0, sidecar: 0 };
  await eventually(() => {
    const [directory = '', ...others] = warmDirectories(driver);
    const { 'session-host.js': host = 0, 'sidecar.js': sidecar = 0 } = programsIn(directory);
    expect({ others, waits: host > 0 && sidecar > 0 }).toMatchObject({ others: [], waits: true });
    found = { directory, host, sidecar };
  });
  return found;
}

async function start(id: string = randomUUID(), signal?: AbortSignal): Promise<string> {
  await runtime.start(runtime.render(frozen(id)), secretsWith(id), signal);
  return id;
}

describeWith('bwrap')('hosts that wait for a session', () => {
  beforeAll(async () => {
    reports = await takeReports();
    runtime = await driver.open(reports.url);
  });
  afterEach(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
      expect(await driver.running(id)).toEqual([]);
    }
  });
  afterAll(async () => {
    driver.remove();
    await reports.close();
  });

  it('take the next session with their sidecar and logs, and are replaced', async () => {
    const warm = await waitingHost();
    expect(await runtime.list()).toEqual([]);
    const id = await start();
    const directory = driver.directoryOf(id);
    expect(hostOf(directory)).toBe(warm.host);
    expect(programsIn(directory)).toMatchObject({ 'sidecar.js': warm.sidecar });
    expect(existsSync(warm.directory)).toBe(false);
    expect(readFileSync(join(directory, 'logs/sidecar.log'), 'utf8')).toContain('sidecar listens');
    await eventually(() => expect(reports.of(id, 'ready')).toHaveLength(1));
    expect((await waitingHost()).host).not.toBe(warm.host);
    await runtime.stop(id);
    expect(existsSync(directory)).toBe(false);
  });

  it('do not stop two sessions that start at once: the second starts its own', async () => {
    const warm = await waitingHost();
    const ids = await Promise.all([start(), start()]);
    const hosts = ids.map((id) => hostOf(driver.directoryOf(id)));
    expect(hosts).toContain(warm.host);
    expect(new Set(hosts).size).toBe(2);
    for (const id of ids) {
      await eventually(() => expect(reports.of(id, 'ready')).toHaveLength(1));
    }
  });

  it.each(['host', 'sidecar'] as const)('may have lost their %s: the next session starts', async (what) => {
    const warm = await waitingHost();
    process.kill(warm[what], 'SIGKILL');
    await eventually(() => expect(existsSync(`/proc/${warm[what]}/cwd`)).toBe(false));
    const id = await start();
    await eventually(() => expect(reports.of(id, 'ready')).toHaveLength(1));
    expect(existsSync(warm.directory)).toBe(false);
  });

  it('end with a start that is cancelled', async () => {
    const warm = await waitingHost();
    const id = randomUUID();
    const starting = start(id, AbortSignal.timeout(30));
    await expect(starting).rejects.toThrow();
    await eventually(() => expect(existsSync(`/proc/${warm.host}`)).toBe(false));
    expect(await driver.running(id)).toEqual([]);
    expect(existsSync(driver.directoryOf(id))).toBe(false);
  });

  it('end with their worker, however it ends, and remove their directory', async () => {
    const other = processDriver({ warmHosts: 2 });
    const id = randomUUID();
    const spec = runtime.render(frozen(id));
    const worker = other.startInProcess(reports.url, spec, secretsWith(id), 60_000);
    try {
      const warm = () => warmDirectories(other);
      await eventually(() => {
        expect(warm()).toHaveLength(2);
        for (const directory of warm()) {
          expect(Object.keys(programsIn(directory)).sort()).toEqual(['session-host.js', 'sidecar.js']);
        }
      });
      worker.kill('SIGKILL');
      await eventually(() => expect(warm()).toEqual([]));
      // A host that was killed itself could not.
      mkdirSync(join(other.sessionsDirectory, `warm-${randomUUID()}`, 'logs'), { recursive: true });
      const next = await other.open(reports.url);
      expect(warm()).toEqual([]);
      expect(await next.list()).toEqual([id]);
      await next.stop(id);
    } finally {
      worker.kill('SIGKILL');
      other.remove();
    }
  });
});
