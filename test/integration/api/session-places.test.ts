/** What a session's sidecar asks of an API process takes places while its handlers work. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as z from 'zod';
import { itsSidecar } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

const places = 4;
/** Handlers that work until they are let go. */
const held: (() => void)[] = [];
let api: TestApi;

const route = (path: string, handler: () => Promise<Record<string, never>>) =>
  defineRoute({
    method: 'get',
    path: `/sessions/{session_id}/${path}`,
    summary: 'What a sidecar asks',
    scope: 'sidecar',
    access: itsSidecar,
    response: z.strictObject({}),
    handler,
  });

beforeAll(async () => {
  api = await startTestApi({ LIMIT_SESSION_CONCURRENT_REQUESTS: String(places) }, () => [
    route('test-held', () => new Promise((resolve) => held.push(() => resolve({})))),
    route('test-quick', async () => ({})),
    route('test-failing', async () => {
      throw new Error('it fails');
    }),
  ]);
});
afterAll(() => api.stop());

const ask = (sessionId: string, path: string, signal: AbortSignal | null = null) =>
  fetch(`${api.url}/internal/sessions/${sessionId}/${path}`, {
    headers: { [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, sessionId) },
    signal,
  });
const many = <Made>(count: number, make: () => Made) => Array.from({ length: count }, make);

it('places of a sidecar that has disconnected are held until its handlers have ended', async () => {
  const [id, otherId] = [randomUUID(), randomUUID()];
  const caller = new AbortController();
  const left = Promise.allSettled(many(places, () => ask(id, 'test-held', caller.signal)));
  await eventually(() => expect(held).toHaveLength(places));
  const cut = api.logged().split('"complete":false').length;
  caller.abort();
  await left;
  await eventually(() => expect(api.logged().split('"complete":false')).toHaveLength(cut + places));
  const refused = await ask(id, 'test-quick');
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 429,
    body: { error: { message: `The limit is ${places} requests of the sidecar of a session at a time` } },
  });
  expect((await ask(otherId, 'test-quick')).status).toBe(200);
  held.pop()?.();
  await eventually(async () => expect((await ask(id, 'test-quick')).status).toBe(200));
  for (const letGo of held.splice(0)) {
    letGo();
  }
});

it('places are free again after requests that were refused or failed', async () => {
  const id = randomUUID();
  for (const path of many(places, () => ['test-failing', 'test-unknown', 'test-quick']).flat()) {
    await ask(id, path);
  }
  const asked = many(places, () => ask(id, 'test-held'));
  await eventually(() => expect(held).toHaveLength(places));
  for (const letGo of held.splice(0)) {
    letGo();
  }
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(many(places, () => 200));
});
