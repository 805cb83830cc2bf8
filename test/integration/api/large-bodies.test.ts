/** A megabyte of many small values costs the API no more than a megabyte of text, from any sender. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { maxRequestValues } from '../../../contract/json-values.ts';
import type { Answer, Person } from '../../support/api.ts';
import { bestRatio } from '../../support/loop-hold.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let admin: Person;
let base: string;
let sessionId: string;
beforeAll(async () => {
  ({ admin, base } = await api.workspace());
  sessionId = (await api.runningSession(admin, base)).session.id;
});

const sessionless = '00000000-0000-4000-8000-000000000000';
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
  ])('is refused, and does not block other requests: %s', async (_what, body) => {
    const answered = (sent: string, status: number) => async () =>
      expect((await send(sent)).status).toBe(status);
    const ratio = await bestRatio({
      subject: answered(body, 413),
      // It reaches its schema, and costs as much as sending and receiving a megabyte.
      control: answered(text, 422),
      below: 3,
      leastControlMs: 15,
    });
    expect(ratio).toBeLessThan(3);
    expect((await send(body)).body).toMatchObject({
      error: { message: 'The limit is 10000 JSON values for a request body' },
    });
  });

  it('is parsed by its schema up to the limit', async () => {
    expect((await send(members(maxRequestValues - 10))).status).toBe(422);
  });
});

describe('the answer to a megabyte with a problem in every value', () => {
  it.each([
    ['texts below one long name', `{"${'k'.repeat(900_000)}":[${'"\\u0000",'.repeat(9_000)}0]}`],
    ['unknown fields of a grant', grantWith(9_000)],
    ['long names of unknown fields', `{"${'k'.repeat(400_000)}":0,"${'l'.repeat(400_000)}":{"a":0}}`],
  ])('has a bounded size: %s', async (_what, body) => {
    const answer = await admin.send('POST', `${base}/grants`, body);
    expect(answer.status).toBe(422);
    expect(answer.text.length).toBeLessThan(100 * 1000);
  });
});

/** A grant whose details have that many unknown fields. */
function grantWith(unknown: number): string {
  const details = Array.from({ length: unknown }, (_, at) => [`${at}-${'x'.repeat(90)}`, 0] as const);
  return JSON.stringify({
    agent_subject_id: sessionless,
    grant_type: 'tool_scope',
    scope: 'once',
    details: Object.fromEntries(details),
  });
}
