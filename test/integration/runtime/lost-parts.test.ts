/**
 * Hosts, sidecars and records that are lost at a bad moment: nothing keeps running, and no
 * other session is affected.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identify } from '../../../runtime/process/process-identity.ts';
import type { LaunchSecrets, Runtime } from '../../../runtime/workload.ts';
import type { WorkloadPlan } from '../../../runtime/workload-plan/workload-plan.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { processesMentioning } from '../../support/processes.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { containerIn, secretsWith } from './driver-under-test.ts';
import { hostOf, processDriver } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

const driver = processDriver();
let reports: Reports;
let runtime: Runtime<WorkloadPlan>;

const stays = { type: 'command' as const, command: 'node', args: ['-e', 'setInterval(() => {}, 1000)'] };
const file = (sessionId: string, name: string) => join(driver.directoryOf(sessionId), name);
const recordOf = (sessionId: string, name: string) =>
  JSON.parse(readFileSync(file(sessionId, 'state.json'), 'utf8')).containers.find(
    (each: { name: string }) => each.name === name,
  );

async function start(
  secrets: Partial<LaunchSecrets> = {},
  session_id: string = randomUUID(),
): Promise<string> {
  const frozen = configuration({ session_id, agent: { run: stays }, servers: [serverNamed('one')] });
  await runtime.start(runtime.render(frozen), secretsWith(session_id, secrets));
  return session_id;
}

async function expectNothingLeft(sessionId: string): Promise<void> {
  expect(await driver.running(sessionId)).toEqual([]);
  expect(existsSync(driver.directoryOf(sessionId))).toBe(false);
}

describeWith('bwrap')('on the process runtime', () => {
  beforeAll(async () => {
    reports = await takeReports();
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    await reports.close();
    driver.remove();
  });

  describe('a host', () => {
    it('that is killed ends everything with it immediately', async () => {
      for (const waitMs of [0, 20, 60]) {
        const id = await start();
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        process.kill(hostOf(driver.directoryOf(id)), 'SIGKILL');
        await eventually(async () => expect(await driver.running(id)).toEqual([]));
        await runtime.stop(id);
      }
    });

    it('that is killed at any point of its start leaves nothing after the stop', async () => {
      for (let waitMs = 0; waitMs <= 250; waitMs += 25) {
        const id = randomUUID();
        const starting = start({}, id).catch((error: unknown) => error);
        const host = await eventually(() => hostOf(driver.directoryOf(id)), { everyMs: 1 });
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        process.kill(host, 'SIGKILL');
        await starting;
        await runtime.stop(id);
        await expectNothingLeft(id);
      }
    });

    it('receives everything through a pipe: no secret is in a command line, a file or another environment', async () => {
      const secrets = {
        agentEnv: { MINE: `agent-${randomUUID()}` },
        serverEnv: { one: { HIS: `server-${randomUUID()}` } },
        sidecar: { internal_token: `token-${randomUUID()}`, control_key: `key-${randomUUID()}` },
      };
      const id = await start(secrets);
      const values = Object.values({
        ...secrets.agentEnv,
        ...secrets.serverEnv.one,
        ...secrets.sidecar,
      });
      for (const value of values) {
        expect(await processesMentioning(value)).toEqual([]);
      }
      const files = readdirSync(driver.directoryOf(id), { recursive: true, encoding: 'utf8' })
        .map((name) => file(id, name))
        .filter((path) => statSync(path).isFile());
      expect(files.length).toBeGreaterThan(5);
      for (const path of files) {
        const text = readFileSync(path, 'utf8');
        expect({ path, found: values.filter((value) => text.includes(value)) }).toEqual({ path, found: [] });
      }
      const environments = ['sidecar', 'agent', 'mcp-one']
        .map((name) => recordOf(id, name).process.pid)
        .concat(hostOf(driver.directoryOf(id)))
        .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'))
        .join('\n');
      expect(values.filter((value) => environments.includes(value))).toEqual([]);
      await runtime.stop(id);
    });

    it('closes descriptors inherited from the starter of the platform, before it starts anything', async () => {
      // Node itself takes care of the first sixteen.
      const script = 'exec 77< "$1"; exec "$1" "$2"';
      const cwd = mkdtempSync(join(tmpdir(), 'host-'));
      mkdirSync(join(cwd, 'logs'));
      const host = spawn('bash', ['-c', script, 'bash', process.execPath, resolve('dist/session-host.js')], {
        cwd,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      try {
        const open = () =>
          readdirSync(`/proc/${host.pid}/fd`).map((fd) => readlinkSync(`/proc/${host.pid}/fd/${fd}`));
        await eventually(() => {
          // It waits for its launch.
          expect(open().some((target) => target.includes('eventpoll'))).toBe(true);
          expect(open()).not.toContain(realpathSync(process.execPath));
        });
      } finally {
        host.kill('SIGKILL');
        rmSync(cwd, { recursive: true });
      }
    });

    it('restricts the session to the user that started it', async () => {
      const id = await start();
      expect(statSync(driver.directoryOf(id)).mode & 0o777).toBe(0o700);
      for (const name of [
        'state.json',
        'host.json',
        'logs/agent.log',
        'logs/host.log',
        'agent/agent/config.json',
      ]) {
        expect({ name, mode: statSync(file(id, name)).mode & 0o077 }).toEqual({ name, mode: 0 });
      }
      await runtime.stop(id);
    });
  });

  describe('a sidecar', () => {
    const killed = async (id: string) => {
      const { pid, startedAt } = recordOf(id, 'sidecar').process;
      process.kill(pid, 'SIGKILL');
      return startedAt;
    };
    const another = (id: string, than: string) =>
      eventually(() => {
        const { state, process: now } = recordOf(id, 'sidecar');
        expect(state).toBe('running');
        expect(now.startedAt).not.toBe(than);
      });

    it('that is killed restarts and reports again, its sockets answer, and the agent continues', async () => {
      const id = await start();
      const agent = recordOf(id, 'agent').process;
      await eventually(() => expect(reports.of(id, 'ready')).toHaveLength(1));
      const before = await killed(id);
      await another(id, before);
      await eventually(() => expect(reports.of(id, 'ready')).toHaveLength(2));
      await eventually(
        () =>
          new Promise<void>((resolve, reject) => {
            connect(file(id, 'agent/mcp/one.sock'), () => resolve()).on('error', reject);
          }),
      );
      expect(recordOf(id, 'agent').process).toEqual(agent);
      await runtime.stop(id);
    });

    it('that is killed repeatedly is eventually lost, and the agent does not continue without it', async () => {
      const id = await start();
      for (let times = 0; times < 3; times += 1) {
        await another(id, await killed(id));
      }
      await killed(id);
      await eventually(async () => {
        const state = await runtime.inspect(id);
        expect(containerIn(state, 'sidecar')).toMatchObject({ state: 'exited', signal: 'SIGKILL' });
        expect(containerIn(state, 'agent')).toMatchObject({ state: 'exited' });
      });
      await runtime.stop(id);
      await expectNothingLeft(id);
    });
  });

  describe('a sidecar of a session with a sibling that the agent waits for', () => {
    const port = 5432;
    const listens = (afterMs: number) =>
      `setTimeout(() => require('node:net').createServer().listen(${port}, '127.0.0.1'), ${afterMs})`;
    const startWith = async (script: string) => {
      const id = randomUUID();
      const run = { type: 'command' as const, command: 'node', args: ['-e', script] };
      const ready = { type: 'port' as const, timeout_seconds: 60 };
      const siblings = [{ name: 'db', run, image: null, env: {}, port, ready }];
      const frozen = configuration({ session_id: id, agent: { run: stays }, siblings });
      await runtime.start(runtime.render(frozen), secretsWith(id));
      return id;
    };
    const socket = (id: string) => file(id, 'agent/agent/sidecar.sock');
    const reportsOf = (id: string) => reports.of(id, 'ready').length;

    it('that is killed once the agent runs does not make it wait again', async () => {
      const id = await startWith(listens(0));
      await eventually(() => expect(recordOf(id, 'agent')).toMatchObject({ state: 'running' }));
      await eventually(() => expect(reportsOf(id)).toBe(1));
      const { process: sibling } = recordOf(id, 'sibling-db');
      process.kill(sibling.pid, 'SIGKILL');
      process.kill(recordOf(id, 'sidecar').process.pid, 'SIGKILL');
      await eventually(() => expect(reportsOf(id)).toBe(2));
      expect(existsSync(socket(id))).toBe(true);
      expect(recordOf(id, 'agent')).toMatchObject({ state: 'running' });
      expect(reports.of(id, 'sibling-not-ready')).toEqual([]);
      await runtime.stop(id);
      await expectNothingLeft(id);
    });

    it('that is killed before still waits', async () => {
      const id = await startWith(listens(3000));
      process.kill(recordOf(id, 'sidecar').process.pid, 'SIGKILL');
      await eventually(() => expect(recordOf(id, 'sidecar')).toMatchObject({ state: 'restarting' }));
      expect(recordOf(id, 'agent')).toMatchObject({ state: 'waiting' });
      await eventually(() => expect(recordOf(id, 'agent')).toMatchObject({ state: 'running' }));
      await eventually(() => expect(reportsOf(id)).toBe(1));
      await runtime.stop(id);
      await expectNothingLeft(id);
    });

    it('that is stopped while it waits leaves nothing', async () => {
      const id = await startWith('setInterval(() => {}, 1000)');
      expect(recordOf(id, 'agent')).toMatchObject({ state: 'waiting' });
      await runtime.stop(id);
      await expectNothingLeft(id);
    });
  });

  describe('a record', () => {
    it.each(['', '{"pid": 12', '[]', '{"pid":"1","startedAt":1}'])(
      'of the host with the content %j means that the workload is lost, and the stop still finds all of it',
      async (text) => {
        const id = await start();
        writeFileSync(file(id, 'host.json'), text);
        expect(await runtime.inspect(id)).toMatchObject({ state: 'lost' });
        await runtime.stop(id);
        await expectNothingLeft(id);
      },
    );

    it('of the containers that cannot be read does not prevent the stop of the session', async () => {
      const id = await start();
      writeFileSync(file(id, 'state.json'), '{"started":tr');
      expect(await runtime.inspect(id)).toEqual({ state: 'running', containers: [] });
      await runtime.stop(id);
      await expectNothingLeft(id);
    });

    it('with a reused process id stops no other process', async () => {
      const bystander: ChildProcess = spawn('sleep', ['60']);
      try {
        const id = randomUUID();
        mkdirSync(driver.directoryOf(id), { recursive: true });
        const process = { pid: bystander.pid, startedAt: '1' };
        writeFileSync(file(id, 'host.json'), JSON.stringify(process));
        const agent = { name: 'agent', state: 'running', exitCode: null, signal: null, process };
        writeFileSync(file(id, 'state.json'), JSON.stringify({ started: true, containers: [agent] }));
        expect(await runtime.inspect(id)).toMatchObject({ state: 'lost' });
        await runtime.stop(id);
        expect(identify(bystander.pid)).not.toBeNull();
        expect(existsSync(driver.directoryOf(id))).toBe(false);
      } finally {
        bystander.kill('SIGKILL');
      }
    });

    it('of a lost session does not prevent its restart', async () => {
      const id = await start();
      process.kill(hostOf(driver.directoryOf(id)), 'SIGKILL');
      await eventually(async () => expect(await runtime.inspect(id)).toMatchObject({ state: 'lost' }));
      await start({}, id);
      expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'running' });
      await runtime.stop(id);
      await expectNothingLeft(id);
    });
  });

  it('a container that writes endlessly fills its log up to a limit, not the disk', async () => {
    const id = randomUUID();
    const script = `const line = 'x'.repeat(65536); (function on() { process.stdout.write(line, () => setTimeout(on, 5)); })()`;
    const run = { type: 'command' as const, command: 'node', args: ['-e', script] };
    await runtime.start(runtime.render(configuration({ session_id: id, agent: { run } })), secretsWith(id));
    const sizes: number[] = [];
    await eventually(() => {
      sizes.push(statSync(file(id, 'logs/agent.log')).size);
      // The log exceeded its limit and started over.
      expect(Math.max(...sizes)).toBeGreaterThan(1024 * 1024);
      expect(sizes.at(-1)).toBeLessThan(Math.max(...sizes) / 2);
    });
    await runtime.stop(id);
  });
});
