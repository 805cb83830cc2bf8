/**
 * Messages to a session: on the way through the workflow to a sidecar's control port; the
 * sidecar’s parts are real.
 */

import type { Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import type { Session } from '../../../contract/session.ts';
import { controlKey } from '../../../contract/session-keys.ts';
import { readyAnswer } from '../../../contract/sidecar.ts';
import { createControlHttp } from '../../../sidecar/control/control-http.ts';
import { listenOnPort } from '../../../sidecar/http/listen-http.ts';
import { createInbox } from '../../../sidecar/inputs/inbox.ts';
import { createMetrics } from '../../../sidecar/metrics.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/mode.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

const kib = 1024;
let api: SessionApi;
let member: Person;
let session: Session;
const controls: Server[] = [];

beforeAll(async () => {
  api = await startSessionApi({ LIMIT_UNDELIVERED_MESSAGE_BYTES: String(512 * kib) });
});
beforeEach(async () => {
  const { base, member: operator } = await api.workspace();
  member = operator;
  ({ session } = await api.runningSession(member, base));
});
afterAll(async () => {
  for (const control of controls) {
    control.close();
  }
  await api.stop();
});

const say = (text: string) => member.send('POST', `/api/sessions/${session.id}/messages`, { text });
const waiting = (): Promise<number[]> =>
  api.db('session_inputs').where({ session_id: session.id }).whereNull('delivered_at').pluck('seq');

/** A sidecar that has no messages yet: it listens, reports, and accepts what the report's answer holds. */
async function startSidecar(): Promise<{ messages(): InputMessage[]; answeredBytes: number }> {
  const inbox = createInbox();
  const control = createControlHttp({
    controlKey: controlKey(api.config.SESSION_KEY_SEED, session.id),
    inbox,
    metrics: createMetrics(),
    sessionId: session.id,
  });
  controls.push(control);
  const control_url = await listenOnPort(control, '127.0.0.1', 0);
  const answer = await api.asSidecar(session.id, 'POST', 'ready', { control_url });
  expect(answer.status).toBe(200);
  inbox.accept(readyAnswer.parse(answer.body).inputs);
  return { messages: () => inbox.after(0), answeredBytes: Buffer.byteLength(answer.text) };
}

it('all reach the sidecar in order, and again a restarted one, however many its report omits', async () => {
  const texts: string[] = [];
  const first = await startSidecar();
  for (let index = 0; index < 10; index += 1) {
    texts.push(`${index} ${'ü'.repeat(220 * kib)}`);
    await eventually(async () => expect(await waiting()).toEqual([]));
    expect((await say(texts.at(-1) ?? '')).status).toBe(201);
  }
  await eventually(() => expect(first.messages().map(({ text }) => text)).toEqual(texts));
  await eventually(async () => expect(await waiting()).toEqual([]));
  const restarted = await startSidecar();
  expect(restarted.answeredBytes).toBeLessThan(2 * 1024 * kib);
  await eventually(() => expect(restarted.messages().map(({ text }) => text)).toEqual(texts));
  await eventually(async () => expect(await waiting()).toEqual([]));
});

it('all reach the sidecar without a sweep when many are sent while earlier ones are delivered', async () => {
  const { messages } = await startSidecar();
  const rounds = volume({ quick: 10, full: 20, long: 200 });
  for (let round = 1; round <= rounds; round += 1) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => say(`${round} ${index}`)));
    await eventually(async () => expect(await waiting()).toEqual([]));
    expect(messages()).toHaveLength(round * 10);
  }
});

it('are refused while too many bytes wait for the sidecar, and accepted once it has them', async () => {
  const text = 'x'.repeat(100 * kib);
  const answers = await Promise.all(Array.from({ length: 8 }, () => say(text)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: { code: 'conflict', message: expect.stringMatching(/^The limit is 524288 bytes of messages/) },
      },
    });
  }
  const events = await api.db('session_events').where({ session_id: session.id, type: 'user.message' });
  expect(events).toHaveLength(5);
  const { messages } = await startSidecar();
  await eventually(() => expect(messages()).toHaveLength(5));
  await eventually(async () => expect((await say(text)).status).toBe(201));
  await eventually(() => expect(messages().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]));
});

it('count as a KiB each however short they are', async () => {
  await api.db.raw(
    `with said as (
       insert into session_inputs (id, session_id, seq, kind, text)
       select gen_random_uuid(), ?, n, 'user_message', 'x' from generate_series(1, 512) as n
     ) update sessions set last_input_seq = 512 where id = ?`,
    [session.id, session.id],
  );
  expect(await say('x')).toMatchObject({ status: 409 });
});
