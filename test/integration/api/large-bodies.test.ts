/** A megabyte of many small values costs the API no more than a megabyte of text, whoever sends it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { maxRequestValues } from '../../../contract/json-values.ts';
import type { Answer, Person } from '../../support/api.ts';
import { longestHold } from '../../support/loop-hold.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let admin: Person;
let base: string;
let sessionId: string;
beforeAll(async () => {
  api = await startSessionApi();
  ({ admin, base } = await api.workspace());
  sessionId = (await api.runningSession(admin, base)).session.id;
});
afterAll(() => api.stop());

const members = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join()}}`;
const objects = (count: number) => `{"a":[${'{},'.repeat(count)}0]}`;
const text = '{"a":"text"}'.replace('text', 'x'.repeat(1_000_000));

const senders: [string, (body: string) => Promise<Answer>][] = [
  ['a person', (body) => admin.send('POST', `${base}/grants`, body)],
  ['a sidecar', (body) => api.asSidecar(sessionId, 'POST', 'permission-requests', body)],
];

describe.each(senders)('a megabyte of small values from %s', (_who, send) => {
  it.each([
    ['members', members(90_000)],
    ['objects', objects(330_000)],
  ])('is refused, and holds up nobody: %s', async (_what, body) => {
    const held = async (sent: string, status: number) => {
      const heldMs: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const { heldMs: ms, result } = await longestHold(() => send(sent));
        expect(result.status).toBe(status);
        heldMs.push(ms);
      }
      return Math.min(...heldMs);
    };
    // The control is read by its schema, and costs what sending and receiving a megabyte costs.
    const controlMs = await held(text, 422);
    expect(await held(body, 413)).toBeLessThan(Math.max(3 * controlMs, 50));
    expect((await send(body)).body).toMatchObject({
      error: { message: 'The limit is 10000 JSON values for a request body' },
    });
  });

  it('is read by its schema up to the limit', async () => {
    expect((await send(members(maxRequestValues - 10))).status).toBe(422);
  });
});
