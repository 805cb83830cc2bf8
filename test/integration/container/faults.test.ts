/**
 * Components that are lost, killed or removed at a bad moment: nothing of a session is left
 * behind, and no call is lost.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallRecord } from '../../../contract/tool-call.ts';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { containerIn, node, secretsWith, stays } from '../runtime/driver-under-test.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

/** Calls a tool that takes a minute, and reports when it runs. */
const callsTool = `const socket = require('node:net').connect('/run/platform/mcp/slow.sock');
const send = (message) => socket.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
send({ id: 1, method: 'initialize', params });
socket.setEncoding('utf8').on('data', (text) => {
  if (text.includes('notifications/progress')) {
    console.log('the tool runs');
  } else if (text.includes('"id":1,') || text.includes('"id":1}')) {
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 60 }, _meta: { progressToken: 1 } } });
  }
});`;

describeInContainers('sessions on a container engine', () => {
  const driver = containerDriver();
  const taken: CallRecord[] = [];
  let taking: () => Promise<void> = async () => undefined;
  let reports: Reports;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);
  beforeAll(async () => {
    await driver.begin();
    reports = await takeReports(await driver.hostAddress());
    runtime = await driver.openWith(reports.url, {
      takeLeftCalls: async (_, calls) => {
        await taking();
        taken.push(...calls);
      },
    });
  });
  afterAll(async () => {
    await sessions.stopAll();
    await reports.close();
    await driver.end();
  });
  const container = (sessionId: string, name: string) =>
    driver.docker().getContainer(driver.nameOf(sessionId, name));

  /** A session whose sidecar was killed in the middle of a call. */
  async function sessionWithoutSidecar(): Promise<string> {
    const frozen = sessions.prepare({ agent: node(callsTool), servers: [serverNamed('slow')] });
    const id = await sessions.start(frozen);
    await eventually(async () => expect(await runtime.logs(id, 'agent', 10_000)).toContain('the tool runs'));
    await driver.lose(id);
    await eventually(async () =>
      expect(containerIn(await runtime.inspect(id), 'sidecar')).toMatchObject({ state: 'exited' }),
    );
    taken.length = 0;
    return id;
  }

  describe('a sidecar that was killed', () => {
    const call = { server: 'slow', tool: 'trigger-long-running-operation', outcome: 'unknown' };

    it('ends the session, and its records are handed over before its volume is removed', async () => {
      const id = await sessionWithoutSidecar();
      taking = () => Promise.reject(new Error('the database is unreachable'));
      await expect(runtime.stop(id)).rejects.toThrow('the database is unreachable');
      expect(await runtime.list()).toContain(id);
      taking = async () => undefined;
      await runtime.stop(id);
      expect(taken).toMatchObject([call]);
      expect(await driver.running(id)).toEqual([]);
    });

    it('is read even when its container was removed', async () => {
      const id = await sessionWithoutSidecar();
      await container(id, 'sidecar').remove({ force: true });
      expect(containerIn(await runtime.inspect(id), 'sidecar')).toMatchObject({
        state: 'exited',
        exitCode: null,
      });
      await runtime.stop(id);
      expect(taken).toMatchObject([call]);
      expect(await driver.running(id)).toEqual([]);
    });
  });

  it('reports a session as lost when only its volumes are left, and removes them', async () => {
    const id = await sessions.start(sessions.prepare());
    for (const name of ['agent', 'sidecar']) {
      await container(id, name).remove({ force: true });
    }
    expect(await runtime.inspect(id)).toMatchObject({ state: 'lost' });
    expect(await runtime.list()).toContain(id);
    await runtime.stop(id);
    expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
    expect(await driver.running(id)).toEqual([]);
  });

  it('reports that an agent exceeded its memory limit', async () => {
    const script = 'const held = []; setInterval(() => held.push(Buffer.alloc(16 * 1024 * 1024, 1)), 10);';
    const id = await sessions.start(sessions.prepare({ agent: node(script) }));
    const exit = await sessions.exit(id);
    expect(exit).toMatchObject({
      exitCode: 137,
      reason: expect.stringContaining('used more than its 256 MiB of memory'),
    });
  });

  it('removes a volume that the engine itself recreated under the session’s name', async () => {
    const id = randomUUID();
    const name = `${driver.installation}-${id}.scratch.agent.workspace`;
    await driver.docker().createVolume({ Name: name });
    await runtime.stop(id);
    await expect(driver.docker().getVolume(name).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  it('does not touch the sessions of another installation', async () => {
    const id = await sessions.start(sessions.prepare());
    const other = await driver.openWith(reports.url, {
      engine: { installation: `${driver.installation}-b` },
    });
    expect(await other.list()).toEqual([]);
    await other.stop(id);
    expect(await other.inspect(id)).toEqual({ state: 'absent' });
    expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'running' });
  });

  it('starts once when two workers start it concurrently', async () => {
    const second = await driver.open(reports.url);
    const frozen = sessions.prepare({ agent: node(`console.log('once'); ${stays}`) });
    const plan = runtime.render(frozen);
    const secrets = secretsWith(frozen.session_id);
    await Promise.allSettled([runtime.start(plan, secrets), second.start(plan, secrets)]);
    await runtime.start(plan, secrets);
    expect(containerIn(await runtime.inspect(frozen.session_id), 'agent')).toMatchObject({
      state: 'running',
    });
    await second.stop(frozen.session_id);
    expect(await driver.running(frozen.session_id)).toEqual([]);
  });
});
