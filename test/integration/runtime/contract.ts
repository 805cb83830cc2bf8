/**
 * What every driver of the workload interface does (docs/runtimes.md#the-interface). A driver's test calls
 * `describeRuntime` with a function that opens it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exitOf } from '../../../activities/workloads/workload-exit.ts';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import type { LaunchSecrets, Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { type configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { describeCheck } from './check-contract.ts';
import {
  configurationThatStays,
  containerIn,
  type DriverUnderTest,
  node,
  secretsWith,
  secretVariable,
  speaksToServers,
  stays,
} from './driver-under-test.ts';
import { describeIsolation } from './isolation-contract.ts';
import { describeKilledWorkers } from './killed-worker-contract.ts';
import { describeOrphans } from './orphans-contract.ts';
import { describeOutput } from './output-contract.ts';
import { describeRemote } from './remote-contract.ts';
import { type Reports, takeReports } from './reports.ts';
import { describeServices } from './service-contract.ts';
import { describeSiblings } from './siblings-contract.ts';
import { describeWatch } from './watch-contract.ts';

/** Notifies the platform when it is asked to end, and then exits. */
const endsInOrder = `process.on('SIGTERM', () => {
  const body = JSON.stringify({ type: 'agent.status', payload: { status: 'ending', detail: null } });
  require('node:http').request({ socketPath: process.env.PLATFORM_SIDECAR_SOCKET, method: 'POST', path: '/event',
    headers: { 'content-type': 'application/json' } }, (response) => response.resume().on('end', () => process.exit(0))).end(body);
}); console.log('listening'); ${stays}`;

export function describeRuntime<Spec>(title: string, driver: DriverUnderTest<Spec>): void {
  describe(title, () => {
    let reports: Reports;
    let runtime: Runtime<Spec>;
    const started: string[] = [];

    beforeAll(async () => {
      reports = await takeReports(await driver.hostAddress());
      runtime = await driver.open(reports.url);
    });
    afterAll(async () => {
      await Promise.all(started.map((id) => runtime.stop(id)));
      await reports.close();
    });

    const prepare = (changes: Parameters<typeof configuration>[0] = {}): FrozenConfiguration => {
      const frozen = configurationThatStays(changes);
      started.push(frozen.session_id);
      return frozen;
    };
    const start = async (frozen: FrozenConfiguration, secrets?: Partial<LaunchSecrets>): Promise<string> => {
      await runtime.start(runtime.render(frozen), secretsWith(frozen.session_id, secrets));
      return frozen.session_id;
    };
    const ready = (sessionId: string) => reports.of(sessionId, 'ready');
    const agentExit = (sessionId: string) =>
      eventually(async () => {
        const agent = containerIn(await runtime.inspect(sessionId), 'agent');
        expect(agent).toMatchObject({ state: 'exited' });
        return agent;
      });
    const logged = (sessionId: string, container: string, text: string) =>
      eventually(async () => {
        const log = await runtime.logs(sessionId, container, 1_000_000);
        expect(log).toContain(text);
        return log;
      });

    it('starts a sidecar, every server and the agent, and the sidecar reports with its own token', async () => {
      const id = await start(prepare({ servers: [serverNamed('one'), serverNamed('two')] }));
      const state = await runtime.inspect(id);
      expect(state).toMatchObject({ state: 'running' });
      for (const name of ['sidecar', 'agent', 'mcp-one', 'mcp-two']) {
        expect(containerIn(state, name)).toMatchObject({ name, state: 'running' });
      }
      await eventually(() => expect(ready(id)).toMatchObject([{ token: `token-of-${id}` }]));
      expect(await runtime.list()).toContain(id);
    });

    it('does nothing when asked to start a running session, also concurrently', async () => {
      const frozen = prepare({ agent: node(`console.log('here I am'); ${stays}`) });
      await Promise.all([start(frozen), start(frozen), start(frozen)]);
      const id = await start(frozen);
      const log = await logged(id, 'agent', 'here I am');
      expect(log.match(/here I am/g)).toHaveLength(1);
      await eventually(() => expect(ready(id)).toHaveLength(1));
    });

    it('reports the agent’s exit code, and keeps the rest running until it is stopped', async () => {
      const id = await start(prepare({ agent: node('process.exit(7)') }));
      expect(await agentExit(id)).toMatchObject({ exitCode: 7 });
      expect(containerIn(await runtime.inspect(id), 'sidecar')).toMatchObject({ state: 'running' });
    });

    it('records an agent that cannot be started as exited, with a reason in its log', async () => {
      const run = { type: 'command' as const, command: 'no-such-program', args: [] };
      const id = await start(prepare({ agent: { run } }));
      expect(await agentExit(id)).not.toMatchObject({ exitCode: 0 });
      await logged(id, 'agent', 'no-such-program');
    });

    it('returns the end of a container’s output, up to the requested size, and of no other file', async () => {
      const id = await start(
        prepare({ agent: node(`console.log('a'.repeat(5000)); console.log('the end')`) }),
      );
      await logged(id, 'agent', 'the end');
      const tail = await runtime.logs(id, 'agent', 100);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(100);
      expect(tail).toMatch(/^a+\nthe end\n$/);
      expect(await runtime.logs(id, 'mcp-unknown', 100)).toBe('');
      await expect(runtime.logs(id, '../state', 100)).rejects.toThrow();
    });

    it('gives each container its own resolved variables only', async () => {
      // Reversed: its secrets are redacted as they are.
      const tells = `const env = Object.entries(process.env).map(([name, value]) => [name, [...value].reverse().join('')]);
        console.error(JSON.stringify(Object.fromEntries(env))); ${stays}`;
      const shape = { type: 'command' as const, command: 'node', args: ['-e', tells] };
      const peer = { name: 'peer', run: node(tells).run, env: secretVariable('ITS'), image: null };
      const frozen = prepare({
        agent: { ...node(`${speaksToServers} ${tells}`), env: secretVariable('MINE') },
        servers: [serverNamed('one', { shape, env: secretVariable('HIS') }), serverNamed('two', { shape })],
        siblings: driver.siblings ? [peer] : [],
      });
      const values = { MINE: 'a = "b"\n\'c\' $HOME', HIS: `his ${randomUUID()}`, ITS: `its ${randomUUID()}` };
      const id = await start(frozen, {
        agentEnv: { MINE: values.MINE },
        serverEnv: { one: { HIS: values.HIS } },
        siblingEnv: { peer: { ITS: values.ITS } },
      });
      const expected = {
        agent: { MINE: values.MINE, PLATFORM_SESSION_ID: id },
        'mcp-one': { HIS: values.HIS },
        'mcp-two': {},
        ...(driver.siblings ? { 'sibling-peer': { ITS: values.ITS } } : {}),
      };
      for (const [name, own] of Object.entries(expected)) {
        const log = await logged(id, name, '"PATH"');
        const told: Record<string, string> = JSON.parse(
          log.split('\n').find((line) => line.startsWith('{')) ?? '{}',
        );
        const env = Object.fromEntries(
          Object.entries(told).map(([variable, value]) => [variable, [...value].reverse().join('')]),
        );
        expect({ name, env }).toMatchObject({ name, env: own });
        const foreign = Object.keys(values).filter((variable) => variable in env && !(variable in own));
        expect({ name, foreign }).toEqual({ name, foreign: [] });
        for (const value of [...Object.values(values), `token-of-${id}`, `key-of-${id}`]) {
          const has = Object.values(env).some((each) => String(each).includes(value));
          expect({ name, value, has }).toEqual({ name, value, has: Object.values(own).includes(value) });
        }
      }
    });

    it('asks the agent to exit before it kills it, while the sidecar still listens', async () => {
      const id = await start(prepare({ agent: node(endsInOrder) }));
      await logged(id, 'agent', 'listening');
      await runtime.stop(id);
      expect(reports.of(id, 'events')).toMatchObject([{ body: { payload: { status: 'ending' } } }]);
    });

    it('kills an agent that ignores signals', async () => {
      const id = await start(
        prepare({ agent: node(`process.on('SIGTERM', () => {}); console.log('stubborn'); ${stays}`) }),
      );
      await logged(id, 'agent', 'stubborn');
      await runtime.stop(id);
      expect(await driver.running(id)).toEqual([]);
    });

    it('leaves nothing behind when it stops, and tolerates repeated stops and unknown sessions', async () => {
      const id = await start(prepare({ servers: [serverNamed('one')] }));
      expect(await driver.running(id)).not.toEqual([]);
      await Promise.all([runtime.stop(id), runtime.stop(id)]);
      expect(await driver.running(id)).toEqual([]);
      expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
      expect(await runtime.list()).not.toContain(id);
      await runtime.stop(id);
      await runtime.stop(randomUUID());
    });

    it('leaves nothing behind when it is stopped while it starts, and can start again', async () => {
      const frozen = prepare({ servers: [serverNamed('one')] });
      const id = frozen.session_id;
      for (const waitMs of [0, 50, 150, 300]) {
        const starting = start(frozen).catch((error: unknown) => error);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        await runtime.stop(id);
        await starting;
        expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
        expect(await driver.running(id)).toEqual([]);
      }
      await start(frozen);
      expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'running' });
    });

    it('is found, inspected, not restarted and stopped by a worker that was started later', async () => {
      const frozen = prepare();
      const id = await start(frozen);
      await eventually(() => expect(ready(id)).toHaveLength(1));
      const later = await driver.open(reports.url);
      expect(await later.list()).toContain(id);
      expect(containerIn(await later.inspect(id), 'agent')).toMatchObject({ state: 'running' });
      await later.start(later.render(frozen), secretsWith(id));
      expect(ready(id)).toHaveLength(1);
      await later.stop(id);
      // The other worker may see it later.
      await eventually(async () => expect(await runtime.inspect(id)).toEqual({ state: 'absent' }));
      expect(await driver.running(id)).toEqual([]);
    });

    it('does not continue when an essential part was lost, and nothing of it is left after the stop', async () => {
      const id = await start(prepare({ servers: [serverNamed('one')] }));
      await driver.lose(id);
      await eventually(async () => {
        const exit = exitOf(await runtime.inspect(id), 0);
        expect(['workload_lost', 'sidecar_lost']).toContain(exit?.kind);
      });
      await runtime.stop(id);
      expect(await driver.running(id)).toEqual([]);
      expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
    });

    const sessions = { driver, runtime: () => runtime, reports: () => reports, prepare, start, logged };
    describeIsolation(sessions);
    describeKilledWorkers(sessions);
    describeOrphans(sessions);
    describeOutput(sessions);
    describeRemote(sessions);
    describeWatch(sessions);
    describeCheck(sessions);
    describeServices(sessions);
    describeSiblings(sessions);
  });
}
