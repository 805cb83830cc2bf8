/**
 * A sidecar reports that a sibling did not get ready: real routes, real Temporal, and how the session ends.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Session } from '../../../contract/session.ts';
import type { SiblingReport } from '../../../contract/sidecar.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let member: Person;
let base: string;

beforeAll(async () => {
  api = await startSessionApi();
  ({ member, base } = await api.workspace());
});
afterAll(() => api.stop());

const run = { type: 'command' as const, command: 'db', args: [] };

/** A session that starts, of an agent with two siblings, of which it waits for one. */
async function starting(): Promise<Session> {
  const siblings = [
    { name: 'db', run, port: 5432, ready: { type: 'port', timeout_seconds: 90 } },
    { name: 'cache', run },
  ];
  const { session } = await api.runningSession(member, base);
  const frozen = siblings.map((each) => ({ ...each, image: null, env: {} }));
  await api
    .db('session_configurations')
    .where({ session_id: session.id })
    .update({
      configuration: api.db.raw(`jsonb_set(configuration, '{siblings}', ?::jsonb)`, [JSON.stringify(frozen)]),
    });
  return session;
}

const report = (session: Session, body: unknown) =>
  api.asSidecar(session.id, 'POST', 'sibling-not-ready', body);
const read = async ({ id }: Session) =>
  (await member.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session;

describe('a sibling that did not get ready', () => {
  it.each<[SiblingReport['failure'], string]>([
    [{ type: 'not_in_time' }, 'was not ready within 90 seconds'],
    [{ type: 'not_started' }, 'could not be started'],
    [{ type: 'ended', exit_code: 3, signal: null }, 'ended with exit code 3 before it was ready'],
    [{ type: 'ended', exit_code: null, signal: 'SIGKILL' }, 'was ended by SIGKILL before it was ready'],
  ])('ends its session as failed with one sentence: %j', async (failure, words) => {
    const session = await starting();
    const answers = [
      await report(session, { name: 'db', failure }),
      await report(session, { name: 'db', failure }),
    ];
    expect(answers[0]).toMatchObject({ status: 200 });
    // Its sidecar asks again until it is answered; by then the session may have ended.
    expect([200, 401]).toContain(answers[1]?.status);
    await eventually(async () =>
      expect(await read(session)).toMatchObject({
        status: 'failed',
        status_reason: `The sibling "db" ${words}, so the agent was not started`,
      }),
    );
  });

  it('is one that the session waits for, and is said in words of the platform alone', async () => {
    const session = await starting();
    const failure = { type: 'not_in_time' };
    for (const name of ['cache', 'unknown', 'agent']) {
      expect(await report(session, { name, failure })).toMatchObject({ status: 404 });
    }
    for (const body of [
      { name: 'db', failure: { type: 'because I say so' } },
      { name: 'db', failure: { type: 'ended', exit_code: null, signal: 'my own words' } },
      { name: 'db', failure, reason: 'my own words' },
    ]) {
      expect(await report(session, body)).toMatchObject({ status: 422 });
    }
    await eventually(async () => expect(await read(session)).toMatchObject({ status: 'running' }));
  });
});
