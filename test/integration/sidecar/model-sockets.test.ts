/**
 * The sidecar between an agent, its model program and the platform, asked as hostile programs
 * in either container would.
 */
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bundlePrograms, type Programs } from './programs.ts';
import { TestSession } from './session.ts';

let programs: Programs;
let session: TestSession;
beforeAll(async () => {
  programs = await bundlePrograms();
});
beforeEach(async () => {
  session = new TestSession(programs, {});
  session.hasModelAccess = true;
  await session.start();
});
afterEach(() => session.stop());

const at = (path: string) => join(session.directory, path);
const usage = {
  input_tokens: 1,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 3,
  output_tokens: 4,
  outcome: 'completed',
};

const put = (path: string, body: unknown, method = 'PUT') =>
  new Promise<{ status: number; text: string }>((resolve) => {
    request({ socketPath: at('model/budget.sock'), method, path, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, text });
    })
      .on('error', () => resolve({ status: 0, text: '' }))
      .end(method === 'DELETE' ? '' : typeof body === 'string' ? body : JSON.stringify(body));
  });

describe('the sockets of model access', () => {
  it('are there for a session with it alone, each in the directory of who may use it', async () => {
    expect((await stat(at('agent/agent/model.sock'))).mode & 0o777).toBe(0o660);
    expect((await readdir(at('model'))).sort()).toEqual(['budget.sock', 'requests.sock']);
    const ofAgent = await readdir(at('agent'), { recursive: true });
    expect(ofAgent.filter((path) => /budget|requests/.test(path))).toEqual([]);
    const without = await new TestSession(programs, {}).start();
    expect(await readdir(join(without.directory, 'agent/agent'))).toEqual(['sidecar.sock']);
    expect(await readdir(without.directory)).not.toContain('model');
    await without.stop();
  });

  it('are made again by a sidecar that was started again', async () => {
    session.sidecar?.kill('SIGKILL');
    await session.startSidecar();
    expect(await put(`/model-requests/${randomUUID()}`, { max_tokens: 1 })).toMatchObject({ status: 200 });
  });

  it('copy what the agent says to the connection that was dialed, byte by byte', async () => {
    const dialed = createConnection(at('model/requests.sock'));
    const next = () =>
      new Promise<string>((resolve) => dialed.once('data', (chunk) => resolve(String(chunk))));
    const used = next();
    const asking = createConnection(at('agent/agent/model.sock'));
    expect(await used).toBe('\u0001');
    const said = next();
    const heard = new Promise<string>((resolve) => asking.once('data', (chunk) => resolve(String(chunk))));
    asking.write('\0 no HTTP at all');
    expect(await said).toBe('\0 no HTTP at all');
    dialed.write('an answer');
    expect(await heard).toBe('an answer');
    asking.destroy();
    await new Promise((resolve) => dialed.once('close', resolve));
  });

  it('say in time that there is no model program', async () => {
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      request(
        { socketPath: at('agent/agent/model.sock'), path: '/v1/messages', method: 'POST', agent: false },
        async (response) => {
          const text = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode, text });
        },
      )
        .on('error', reject)
        .end('{}');
    });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', param: null, code: 'server_is_overloaded' },
    });
  });
});

describe('the question whether a request may be sent', () => {
  it('is passed on for this session, and the answer back', async () => {
    const id = randomUUID();
    expect(await put(`/model-requests/${id}`, { max_tokens: 500 })).toEqual({
      status: 200,
      text: JSON.stringify({ decision: 'allowed' }),
    });
    expect(await put(`/model-requests/${id}/usage`, usage)).toEqual({ status: 204, text: '' });
    expect(session.platform.modelRequests).toEqual([{ id, body: { max_tokens: 500 } }]);
    expect(session.platform.modelUsage).toEqual([{ id, body: usage }]);
    const refused = { decision: 'refused', code: 'model_budget_reached', message: 'no more' };
    session.platform.onModelRequest = () => refused;
    expect(await put(`/model-requests/${id}`, { max_tokens: 500 })).toEqual({
      status: 200,
      text: JSON.stringify(refused),
    });
  });

  it('that the platform does not answer is none, and so is an answer that is not one', async () => {
    const path = `/model-requests/${randomUUID()}`;
    session.platform.onModelRequest = () => ({ decision: 'certainly' });
    expect(await put(path, { max_tokens: 1 })).toMatchObject({ status: 503 });
    session.platform.failWith = 503;
    expect(await put(path, { max_tokens: 1 })).toMatchObject({ status: 503 });
    expect(await put(`${path}/usage`, usage)).toMatchObject({ status: 503 });
    session.platform.failWith = 429;
    expect(await put(path, { max_tokens: 1 })).toMatchObject({ status: 503 });
    session.platform.failWith = 404;
    expect(JSON.parse((await put(path, { max_tokens: 1 })).text)).toMatchObject({
      decision: 'refused',
      code: 'model_access_ended',
    });
    expect(await put(`${path}/usage`, usage)).toMatchObject({ status: 404 });
  });

  it('is the only one, in one form', async () => {
    const id = randomUUID();
    const own = `/model-requests/${id}`;
    for (const [path, method] of [
      ['/access-token', 'POST'],
      ['/model-requests', 'PUT'],
      [own, 'POST'],
      [own, 'DELETE'],
      [`${own}/usage/more`, 'PUT'],
      [`/model-requests/../tool-calls/${id}`, 'PUT'],
      [`/model-requests/${'0'.repeat(36)}`, 'PUT'],
      [`${own}?session=other`, 'PUT'],
      [`http://platform${own}`, 'PUT'],
    ] as const) {
      expect([path, (await put(path, { max_tokens: 1 }, method)).status]).toEqual([path, 404]);
    }
    for (const body of ['', '{', '[]', { max_tokens: -1 }, { max_tokens: 1, session_id: randomUUID() }]) {
      expect((await put(own, body)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await put(own, { max_tokens: 1, more: 'x'.repeat(20_000) })).toMatchObject({ status: 413 });
    expect(await put(`${own}/usage`, { ...usage, output_tokens: 1e12 })).toMatchObject({ status: 422 });
    expect(session.platform.modelRequests).toEqual([]);
    expect(session.platform.modelUsage).toEqual([]);
  });
});
