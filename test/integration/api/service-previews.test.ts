/**
 * Previews of services from the agent's call to their end, on real Postgres and Temporal, with a
 * runtime that starts nothing.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { ShownPreview } from '../../../contract/preview.ts';
import type { Session } from '../../../contract/session.ts';
import type { ContainerState } from '../../../runtime/workload.ts';
import type { Person, TestApi } from '../../support/api.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { agentWithServices } from '../../support/service-previews.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let opened: Awaited<ReturnType<TestApi['workspace']>>;
let member: Person;
let session: Session;

beforeAll(async () => {
  api = await startSessionApi({ LIMIT_SERVICES_PER_SESSION: '10' }, { sweepEveryMs: 1000 });
});
beforeEach(async () => {
  opened = await api.workspace();
  ({ member } = opened);
  session = await runningSession();
});
afterAll(() => api.stop());

async function runningSession(): Promise<Session> {
  const { base } = opened;
  const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, agentWithServices());
  const body = { agent_id: agent.id, prompt: 'Do it' };
  const { session } = await member.ok<{ session: Session }>('POST', `${base}/sessions`, body);
  await launched(session.id);
  expect(await ready(session.id)).toMatchObject({ status: 200 });
  return session;
}

/** Until the workload of the session or the preview was started. */
const launched = (id: string) =>
  untilFound(`the launch of ${id}`, async () =>
    (await api.runtime.inspect(id)).state === 'running' ? true : null,
  );
const ready = (id: string, control_url = 'http://127.0.0.1:1') =>
  api.asSidecar(id, 'POST', 'ready', { control_url });

/** Returns the preview's id. */
async function deploy(given: object = { service: 'web' }, callId: string = randomUUID()): Promise<string> {
  const body = { call_id: callId, name: 'preview_deploy', arguments: given };
  const answer = await api.asSidecar(session.id, 'POST', 'platform-tools/calls', body);
  const { result } = answer.body as { result: { preview_id: string } };
  return result.preview_id;
}

const one = (id: string) => `${opened.base}/previews/${id}`;
const shown = async (id: string, who = member) =>
  (await who.ok<{ preview: ShownPreview }>('GET', one(id))).preview;
const becomes = (id: string, expected: object) =>
  eventually(async () => expect(await shown(id)).toMatchObject(expected));

async function running(): Promise<string> {
  const id = await deploy();
  await launched(id);
  expect(await ready(id)).toMatchObject({ status: 200, body: { inputs: [] } });
  await becomes(id, { service_status: { state: 'running', reason: null } });
  return id;
}

/** The containers of its workload are like that from now on. */
const containersAre = (id: string, ...containers: ContainerState[]) =>
  api.runtime.states.set(id, { state: 'running', containers });
const sidecar = { name: 'sidecar', state: 'running' } as const;
const exited = { name: 'agent', state: 'exited', exitCode: 1, signal: null } as const;
const over = { is_live: false, may_end: false, ended_at: expect.any(String) };

describe('a preview of a service', () => {
  it('is shown with its state, beside previews of files', async () => {
    const ofFiles = await deploy({ files: [{ path: 'index.html', text: '' }] });
    const id = await running();
    const { previews } = await member.ok<{ previews: ShownPreview[] }>('GET', `${opened.base}/previews`);
    const facts = previews.map(({ id, service, service_status }) => ({ id, service, service_status }));
    expect(facts).toEqual([
      { id, service: 'web', service_status: { state: 'running', reason: null } },
      { id: ofFiles, service: null, service_status: null },
    ]);
  });

  it('that crashes is over, with the reason, by a hint of the runtime', async () => {
    const id = await running();
    containersAre(id, sidecar, exited);
    const reason = 'The service exited with code 1';
    await becomes(id, { ...over, service_status: { state: 'failed', reason } });
    expect(api.runtime.stopped).toContain(id);
  });

  it('is stopped soon when a person ends it, and when it expires', async () => {
    const [ended, expired] = [await running(), await running()];
    await member.ok('DELETE', one(ended));
    const inThePast = new Date(Date.now() - 1).toISOString();
    await api.db('previews').where({ id: expired }).update({ expires_at: inThePast });
    for (const id of [ended, expired]) {
      await becomes(id, { ...over, service_status: { state: 'stopped', reason: null } });
      expect(api.runtime.stopped).toContain(id);
    }
  });

  it('ends with its session, and one of files does not', async () => {
    const ofFiles = await deploy({ files: [{ path: 'index.html', text: '' }] });
    const [runs, starts] = [await running(), await deploy()];
    await launched(starts);
    await member.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    for (const id of [runs, starts]) {
      await becomes(id, { ...over, service_status: { state: 'stopped', reason: null } });
      expect(api.runtime.stopped).toContain(id);
    }
    expect(await shown(ofFiles)).toMatchObject({ is_live: true });
  });

  it('is started by a worker when the API could not begin it', async () => {
    const callId = randomUUID();
    const id = await deploy({ service: 'web' }, callId);
    await launched(id);
    // As it is when the API died between its transaction and the start.
    const handle = api.temporal.workflow.getHandle(`service-preview/${id}`);
    await handle.terminate('lost');
    await api.runtime.stop(id);
    await launched(id);
    expect(await deploy({ service: 'web' }, callId)).toBe(id);
    await ready(id);
    await becomes(id, { service_status: { state: 'running', reason: null } });
  });
});

describe('the gateway of a service', () => {
  it('reports that it listens, and nothing else', async () => {
    const id = await running();
    const refused: [string, string, unknown][] = [
      ['POST', 'processes', {}],
      ['POST', 'artifacts?artifact_id=a&name=a&mime_type=text/plain', ''],
      ['POST', 'access-tokens', {}],
      ['POST', 'tool-lists', {}],
      ['GET', 'platform-tools', undefined],
      ['POST', 'platform-tools/calls', {}],
      ['POST', 'tool-calls', { calls: [] }],
      ['POST', 'tool-calls/refused', { counts: [] }],
      ['POST', 'events', {}],
      ['POST', 'permission-requests', {}],
      ['GET', `permission-requests/${randomUUID()}`, undefined],
      ['POST', 'end', {}],
    ];
    for (const [method, path, body] of refused) {
      const { status } = await api.asSidecar(id, method, path, body);
      expect({ path, status }).toEqual({ path, status: 404 });
    }
    const call = { call_id: randomUUID(), server: 'files', tool: 'write' };
    for (const [path, body] of [
      ['tool-calls/check', call],
      ['tool-calls/checks', { checks: [call] }],
    ] as const) {
      const { status, text } = await api.asSidecar(id, 'POST', path, body);
      expect({ path, status, text }).toMatchObject({ path, status: 404 });
    }
  });

  it('is refused with another token, and once the service has stopped', async () => {
    const id = await running();
    const body = { control_url: 'http://127.0.0.1:2' };
    const path = `/internal/sessions/${id}/ready`;
    for (const token of [api.token(session.id), api.token(randomUUID()), '']) {
      const answer = await api.anonymous.send('POST', path, body, { 'x-internal-token': token });
      expect(answer).toMatchObject({ status: 401 });
    }
    await member.ok('DELETE', one(id));
    await becomes(id, { service_status: { state: 'stopped', reason: null } });
    expect(await ready(id)).toMatchObject({ status: 401 });
  });

  it('that was started elsewhere is asked there only when that is the workload’s own address', async () => {
    const id = await running();
    const address = async () => {
      const row = await api.db('preview_services').where({ preview_id: id }).first();
      return row?.address;
    };
    expect(await ready(id, 'http://127.0.0.1:7')).toMatchObject({ status: 200 });
    await eventually(async () => expect(await address()).toBe('http://127.0.0.1:7'));
    expect(await ready(id, 'http://192.0.2.1:7')).toMatchObject({ status: 200 });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await address()).toBe('http://127.0.0.1:7');
  });
});
