/**
 * Large bodies of requests that are worked on, and answers that nobody reads: those of one caller, and of one
 * workspace, leave room for others.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as z from 'zod';
import { anyMember, itsSidecar } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

/** Of which a caller has room for two, a workspace for four, and all for eight. */
const mostBytes = 8 * 1024 * 1024;
const large = 'a'.repeat(mostBytes - 100);
/** Of an answer: two are less, and three more than a workspace may leave unread. */
const answerBytes = 16.5 * 1024 * 1024;
/** Requests that are worked on until they are let go. */
const held: (() => void)[] = [];
let api: TestApi;

const holding = {
  method: 'post' as const,
  summary: 'Works until it is let go',
  body: z.strictObject({ text: z.string() }),
  response: z.strictObject({}),
  handler: () => new Promise<Record<string, never>>((resolve) => held.push(() => resolve({}))),
};

beforeAll(async () => {
  api = await startTestApi({ LIMIT_BODY_BYTES: String(mostBytes) }, () => [
    defineRoute({ ...holding, path: '/test/{slug}', scope: 'workspace', access: anyMember }),
    defineRoute({
      ...holding,
      path: '/sessions/{session_id}/test',
      scope: 'internal',
      access: itsSidecar,
    }),
    defineRoute({
      method: 'get',
      path: '/sessions/{session_id}/test-large',
      summary: 'More than a connection takes by itself',
      scope: 'internal',
      access: itsSidecar,
      response: z.strictObject({ text: z.string() }),
      handler: async () => ({ text: 'a'.repeat(answerBytes) }),
    }),
  ]);
});
afterAll(() => api.stop());

async function newSession({ id: workspaceId }: Workspace, member: Person, base: string): Promise<string> {
  const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: `agent-${randomUUID()}`,
    run: { type: 'builtin', name: 'scripted' },
  });
  const id = randomUUID();
  const operator = { operatorId: member.user.id, rootOperatorId: member.user.id, parentSessionId: null };
  await createSession(api.db, { id, workspaceId, agentId: agent.id, prompt: '', ...operator });
  return id;
}

const asPerson = (person: Person, { slug }: Workspace, text = large) =>
  person.send('POST', `/api/test/${slug}`, { text });
const tokenOf = (sessionId: string) => ({
  [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, sessionId),
});
const asSidecar = (sessionId: string) =>
  api.anonymous.send('POST', `/internal/sessions/${sessionId}/test`, { text: large }, tokenOf(sessionId));
const readLarge = async (sessionId: string) => {
  const path = `/internal/sessions/${sessionId}/test-large`;
  return (await api.anonymous.send('GET', path, undefined, tokenOf(sessionId))).status;
};

/** Asks as the session's sidecar, and reads nothing after the first bytes of the answer. */
async function leaveUnread(sessionId: string): Promise<Socket> {
  const { hostname, port } = new URL(api.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const headers = Object.entries({ Host: `${hostname}:${port}`, ...tokenOf(sessionId) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`GET /internal/sessions/${sessionId}/test-large HTTP/1.1\r\n${lines}\r\n`);
  await once(socket, 'data');
  return socket.pause();
}
const areHeld = (count: number) => eventually(() => expect(held).toHaveLength(count));
const letGo = () => {
  for (const each of held.splice(0)) {
    each();
  }
};

it('large bodies have a share for a caller and one for a workspace, with its sessions', async () => {
  const { workspace, admin, member, base } = await api.workspace();
  const other = await api.workspace();
  const sessionId = await newSession(workspace, member, base);
  const asked = [asPerson(admin, workspace), asPerson(admin, workspace)];
  await areHeld(2);
  const refused = await asPerson(admin, workspace);
  expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({
    status: 503,
    after: '1',
  });
  asked.push(asPerson(admin, workspace, 'small'));
  await areHeld(3);
  asked.push(asSidecar(sessionId), asSidecar(sessionId));
  await areHeld(5);
  expect(await asPerson(member, workspace)).toMatchObject({ status: 503 });
  asked.push(asPerson(other.member, other.workspace));
  await areHeld(6);
  letGo();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  const again = asPerson(member, workspace);
  await areHeld(1);
  letGo();
  expect(await again).toMatchObject({ status: 200 });
});

it('answers that sidecars of a workspace do not read leave room for those of others', async () => {
  const { workspace, member, base } = await api.workspace();
  const other = await api.workspace();
  const own = [
    await newSession(workspace, member, base),
    await newSession(workspace, member, base),
    await newSession(workspace, member, base),
  ] as const;
  const theirs = await newSession(other.workspace, other.member, other.base);
  const unread = [await leaveUnread(own[0]), await leaveUnread(own[1])];
  expect(await readLarge(own[2])).toBe(503);
  expect(await readLarge(theirs)).toBe(200);
  for (const socket of unread) {
    socket.destroy();
  }
  await eventually(async () => expect(await readLarge(own[2])).toBe(200));
});
