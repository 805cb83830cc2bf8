/**
 * The guarantee of test/integration/store/revocation.test.ts through the API: people revoke with
 * `DELETE /grants/{id}` while sidecars ask about calls, and no check that begins after a revoke was
 * answered passes on that grant.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Session } from '../../../contract/session.ts';
import { type CheckAnswer, checksAnswer } from '../../../contract/sidecar.ts';
import { checkTogether, grantOf } from '../../support/checks-together.ts';
import { permissionsOf, playOnGrants, type Stage } from '../../support/grant-play.ts';
import { frozenFor, giveGrant, replaceConfiguration } from '../../support/granted.ts';
import { volume } from '../../support/mode.ts';
import { announcedSeed, seededRandom } from '../../support/seeded-random.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

const seed = announcedSeed('histories of grants at the front door', 'HISTORY_SEED');
/** `HISTORY_OPERATIONS` makes it longer (`npm run test:history`). */
const operations = volume({ quick: 6000, full: 10_000, long: 40_000 }, 'HISTORY_OPERATIONS') / 20;
const brokenOperations = 1000;
const workers = 16;

let api: SessionApi;
let stage: Stage;

beforeAll(async () => {
  api = await startSessionApi();
  const { admin, member, base } = await api.workspace();
  const permissions = [
    ...permissionsOf('kept.to', operations),
    ...permissionsOf('together', operations),
    ...permissionsOf('broken', brokenOperations),
  ].flat();
  const sessions = new Map<string, Session>();
  for (let count = 0; count < 4; count += 1) {
    const { session, agent } = await api.runningSession(member, base);
    const frozen = frozenFor(session, agent);
    const tool_scopes = Object.fromEntries(permissions.map((permission) => [permission, permission]));
    const servers = frozen.servers.map((server) => ({ ...server, tool_scopes }));
    await replaceConfiguration(api.db, { ...frozen, servers });
    sessions.set(session.id, session);
  }
  stage = {
    groups: [...sessions.keys()].map((id) => [id]),
    grant: ({ id, scope, permission, holder, sessionId }) =>
      giveGrant(api.db, sessions.get(holder) as Session, {
        id,
        scope,
        details: { scope: permission },
        session_id: sessionId,
      }),
    async revoke(id) {
      await admin.ok('DELETE', `${base}/grants/${id}`);
      return null;
    },
    async check({ callId, sessionId, permission }) {
      const question = { call_id: callId, server: 'files', tool: permission };
      const answer = await api.asSidecar(sessionId, 'POST', 'tool-calls/check', question);
      expect(answer.status).toBe(200);
      const { decision, granted_via: grantId = null } = answer.body as CheckAnswer & { granted_via?: string };
      expect(decision).toBe(grantId === null ? 'refused' : 'allowed');
      return grantId === null ? null : { grantId };
    },
  };
});
afterAll(() => api.stop());

const play = (name: string, on: Stage, limit = operations) =>
  playOnGrants(on, { operations: limit, workers, random: seededRandom(seed), name });

it('an acknowledged revocation applies to every check that begins later', async () => {
  const history = await play('kept.to', stage);
  expect(history.violations()).toEqual([]);
  const { passed, refused } = history.counts();
  process.stdout.write(`${history.operations} operations: ${passed} calls passed, ${refused} were refused\n`);
  expect(history.operations).toBeGreaterThanOrEqual(operations);
  expect(Math.min(passed, refused)).toBeGreaterThan(operations / 20);
});

it('applies to calls that are checked together', async () => {
  const checks = checkTogether(async (sessionId, asked) => {
    const { status, body } = await api.asSidecar(sessionId, 'POST', 'tool-calls/checks', { checks: asked });
    expect(status).toBe(200);
    return new Map(checksAnswer.parse(body).answers.map(({ call_id, answer }) => [call_id, answer]));
  });
  const check: Stage['check'] = async ({ callId, sessionId, permission }) =>
    grantOf(await checks(sessionId, { call_id: callId, server: 'files', tool: permission }));
  const history = await play('together', { ...stage, check });
  expect(history.violations()).toEqual([]);
  const { passed, refused } = history.counts();
  expect(Math.min(passed, refused)).toBeGreaterThan(operations / 20);
});

it('detects a sidecar that caches an answer', async () => {
  const kept = new Map<string, Awaited<ReturnType<Stage['check']>>>();
  const check: Stage['check'] = async (call, options) => {
    const key = `${call.sessionId} ${call.permission}`;
    const answer = kept.get(key) ?? (await stage.check(call, options));
    if (answer !== null) {
      kept.set(key, answer);
    }
    return answer;
  };
  const history = await play('broken', { ...stage, check }, brokenOperations);
  expect(history.violations()).not.toEqual([]);
});
