import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { itsSidecar, sessionReaders } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let operator: Person;
let session: string;
let other: string;

beforeAll(async () => {
  api = await startTestApi({}, () => [
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/whoami',
      summary: 'The session of the token',
      scope: 'internal',
      access: itsSidecar,
      response: z.strictObject({ session_id: z.uuid() }),
      handler: async ({ session }) => ({ session_id: session.id }),
    }),
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/whoami',
      summary: 'The session of the path',
      scope: 'session',
      access: sessionReaders,
      response: z.strictObject({ session_id: z.uuid() }),
      handler: async ({ session }) => ({ session_id: session.id }),
    }),
  ]);
  const { workspace, member, base } = await api.workspace();
  operator = member;
  const body = { name: 'a', run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  [session, other] = [randomUUID(), randomUUID()];
  for (const id of [session, other]) {
    const people = { operatorId: member.user.id, rootOperatorId: member.user.id };
    await createSession(api.db, {
      id,
      workspaceId: workspace.id,
      agentId: agent.id,
      ...people,
      parentSessionId: null,
      prompt: '',
    });
  }
});
afterAll(() => api.stop());

const withToken = (token: string) => ({ 'x-internal-token': token });
const ask = (path: string, headers: Record<string, string>) =>
  api.anonymous.send('GET', path, undefined, headers);

describe("a session's internal routes", () => {
  it("accept that session's own token and nothing else", async () => {
    const path = `/internal/sessions/${session}/whoami`;
    const own = internalToken(api.config.SESSION_KEY_SEED, session);
    expect(await ask(path, withToken(own))).toMatchObject({ status: 200, body: { session_id: session } });
    const wrong = [
      {},
      { cookie: operator.cookie },
      { authorization: `Bearer ${own}` },
      withToken(''),
      withToken(internalToken(api.config.SESSION_KEY_SEED, other)),
      withToken(`${session}.${internalToken(api.config.SESSION_KEY_SEED, other).split('.')[1]}`),
      withToken(own.slice(0, -1)),
      withToken(internalToken(Buffer.alloc(32), session)),
    ];
    for (const headers of wrong) {
      expect(await ask(path, headers)).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthenticated' } },
      });
    }
    const never = randomUUID();
    const token = internalToken(api.config.SESSION_KEY_SEED, never);
    expect(await ask(`/internal/sessions/${never}/whoami`, withToken(token))).toMatchObject({ status: 404 });
  });

  it('are not served under the prefix for people, whose routes do not accept the token', async () => {
    const token = withToken(internalToken(api.config.SESSION_KEY_SEED, session));
    expect(await ask(`/api/sessions/${session}/whoami`, token)).toMatchObject({ status: 401 });
    expect(await ask('/api/me', token)).toMatchObject({ status: 401 });
    const mine = { cookie: operator.cookie };
    expect(await ask(`/api/sessions/${session}/whoami`, mine)).toMatchObject({ status: 200 });
    const stranger = await api.person();
    expect(await ask(`/api/sessions/${session}/whoami`, { cookie: stranger.cookie })).toMatchObject({
      status: 404,
    });
  });

  it('refuse the token once the session has ended', async () => {
    await moveSession(api.db, other, { to: 'failed', reason: 'test' });
    const token = withToken(internalToken(api.config.SESSION_KEY_SEED, other));
    expect(await ask(`/internal/sessions/${other}/whoami`, token)).toMatchObject({ status: 401 });
  });
});
