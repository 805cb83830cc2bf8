/** What an agent does as soon as it starts, before the workflow has recorded that its session runs. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { SessionEvent } from '../../../contract/session-event.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let member: Person;
let base: string;
beforeAll(async () => {
  ({ member, base } = await api.workspace());
});

/** Its workload runs, and its sidecar has not reported that it listens. */
async function startingSession(): Promise<Session> {
  const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: `quick-${randomUUID()}`,
    run: { type: 'builtin', name: 'scripted' },
  });
  const { session } = await member.ok<{ session: Session }>('POST', `${base}/sessions`, {
    agent_id: agent.id,
    prompt: 'Do it',
  });
  await untilFound('the launch of the session', async () =>
    (await api.runtime.inspect(session.id)).state === 'running' ? true : null,
  );
  expect(await read(session)).toMatchObject({ status: 'starting', started_at: null });
  return session;
}

const read = async ({ id }: Session) =>
  (await member.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session;
const eventsOf = async ({ id }: Session) =>
  (await member.ok<{ events: SessionEvent[] }>('GET', `/api/sessions/${id}/events`)).events;
const statusOf = ({ type, payload }: SessionEvent) =>
  type === 'session.status_changed' ? (payload as { to: string }).to : null;
const isByAgent = ({ actor }: SessionEvent) => actor.type === 'agent';
const artifact = new URLSearchParams({ artifact_id: randomUUID(), name: 'a.txt', mime_type: 'text/plain' });

it.each([
  ['publishes', 'events', { id: randomUUID(), type: 'agent.message', payload: { text: 'first' } }],
  [
    'asks for a permission',
    'permission-requests',
    {
      request_id: randomUUID(),
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'session',
      justification: 'x',
      refused_call: null,
    },
  ],
  ['hands out', `artifacts?${artifact}`, 'text'],
  [
    'calls a tool of the platform',
    'platform-tools/calls',
    { call_id: randomUUID(), name: 'list_spawnable_agents', arguments: {} },
  ],
  ['ends', 'end', { outcome: 'completed', summary: 'done' }],
])('a session runs once its agent %s, and its events say so first and once', async (_does, path, body) => {
  const session = await startingSession();
  expect(await api.asSidecar(session.id, 'POST', path, body)).toMatchObject({ status: 200 });
  // What the workflow records once the sidecar listens.
  await moveSession(api.db, session.id, { to: 'running', reason: null });
  const events = await eventsOf(session);
  expect(events.filter((event) => statusOf(event) === 'running')).toHaveLength(1);
  const runsAt = events.findIndex((event) => statusOf(event) === 'running');
  expect(events.slice(0, runsAt).filter(isByAgent)).toEqual([]);
  expect((await read(session)).started_at).not.toBeNull();
  await member.send('POST', `/api/sessions/${session.id}/terminate`, {});
});
