/** People and sessions of one workspace together leave connections to the database to others. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import * as z from 'zod';
import { anyMember, itsSidecar } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { toolConnections, workspaceConnections } from '../../../config/tool-connections.ts';
import type { Agent } from '../../../contract/agent.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Db } from '../../../store/database.ts';
import { type Answer, type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

let api: TestApi;
let usual: number;
let stopping: number;
/** Requests that hold a connection until they are let go. */
const held: (() => void)[] = [];

const path = {
  workspace: '/test/{slug}',
  internal: '/sessions/{session_id}/test',
  sidecar: '/sessions/{session_id}/test-check',
};
const holding = (db: Db) => ({
  method: 'post' as const,
  summary: 'Holds a connection until it is let go',
  response: z.strictObject({}),
  handler: () =>
    db.transaction(async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return {};
    }),
});

beforeAll(async () => {
  api = await startTestApi({ LIMIT_USER_CONCURRENT_REQUESTS: '4' }, (db) => [
    defineRoute({ ...holding(db), path: path.workspace, scope: 'workspace', access: anyMember }),
    defineRoute({
      ...holding(db),
      path: `${path.workspace}/stop`,
      scope: 'workspace',
      access: anyMember,
      stops: true,
    }),
    defineRoute({ ...holding(db), path: path.internal, scope: 'internal', access: itsSidecar }),
    defineRoute({ ...holding(db), path: path.sidecar, scope: 'sidecar', access: itsSidecar }),
  ]);
  ({ usual, stopping } = workspaceConnections(api.config));
});
afterEach(letGo);
afterAll(() => api.stop());

function letGo(): void {
  for (const each of held.splice(0)) {
    each();
  }
}

async function colleagues(workspace: Workspace): Promise<Person[]> {
  const people = await Promise.all([1, 2, 3].map(() => api.person()));
  await Promise.all(people.map((person) => api.join(workspace, person, 'member')));
  return people;
}

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

const asSidecar = (sessionId: string, where: 'internal' | 'sidecar') =>
  api.anonymous.send(
    'POST',
    `/internal${path[where].replace('{session_id}', sessionId)}`,
    {},
    {
      [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, sessionId),
    },
  );
const many = <Made>(count: number, make: () => Made) => Array.from({ length: count }, make);
/**
 * Lets go whoever holds or gets a connection, until all are answered: some were held, and others may
 * have waited for too long.
 */
async function areAnswered(asked: Promise<Answer>[], heldCount: number): Promise<void> {
  let answers: Answer[] = [];
  void Promise.all(asked).then((all) => {
    answers = all;
  });
  await eventually(() => {
    letGo();
    expect(answers).toHaveLength(asked.length);
  });
  const late = answers.filter(({ status }) => status !== 200);
  expect(answers.length - late.length).toBeGreaterThanOrEqual(heldCount);
  for (const { status, headers } of late) {
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '5' });
  }
}

it('is a share that is larger than a user has places, and leaves some to others', () => {
  const all = api.config.DATABASE_POOL - toolConnections(api.config.DATABASE_POOL);
  expect(usual).toBeGreaterThan(api.config.LIMIT_USER_CONCURRENT_REQUESTS);
  expect(usual + stopping).toBeLessThan(all);
});

it('three colleagues with slow requests keep nobody of another workspace waiting', async () => {
  const { workspace } = await api.workspace();
  const other = await api.workspace();
  const people = await colleagues(workspace);
  const slug = path.workspace.replace('{slug}', workspace.slug);
  const asked = people.flatMap((person) => many(4, () => person.send('POST', `/api${slug}`, {})));
  await eventually(() => expect(held).toHaveLength(usual));
  for (const page of ['agents', 'mcp-servers', 'members']) {
    expect(await other.member.send('GET', `${other.base}/${page}`)).toMatchObject({ status: 200 });
  }
  expect(held).toHaveLength(usual);
  // What ends something there waits for none of it.
  const stops = people.flatMap((person) => many(2, () => person.send('POST', `/api${slug}/stop`, {})));
  await eventually(() => expect(held).toHaveLength(usual + stopping));
  expect(await other.member.send('GET', `${other.base}/agents`)).toMatchObject({ status: 200 });
  expect(held).toHaveLength(usual + stopping);
  await areAnswered([...asked, ...stops], usual + stopping);
});

it('sessions count to their workspace, whatever their sidecars ask', async () => {
  const { workspace, member, base } = await api.workspace();
  const other = await api.workspace();
  const [first, second] = [
    await newSession(workspace, member, base),
    await newSession(workspace, member, base),
  ];
  const slug = path.workspace.replace('{slug}', workspace.slug);
  const asked = [
    ...many(6, () => asSidecar(first, 'internal')),
    ...many(6, () => asSidecar(second, 'sidecar')),
    ...many(4, () => member.send('POST', `/api${slug}`, {})),
  ];
  await eventually(() => expect(held).toHaveLength(usual));
  expect(await other.member.send('GET', `${other.base}/agents`)).toMatchObject({ status: 200 });
  const theirs = await newSession(other.workspace, other.member, other.base);
  const ofOthers = [asSidecar(theirs, 'internal'), asSidecar(theirs, 'sidecar')];
  await eventually(() => expect(held).toHaveLength(usual + ofOthers.length));
  await areAnswered([...asked, ...ofOthers], usual + ofOthers.length);
});
