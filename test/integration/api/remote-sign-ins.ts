/**
 * Sign-ins at remote servers: a platform with an entry that people sign in to, its authorization server,
 * and what a browser sends.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Authorization, Connection, SessionAuthorization } from '../../../contract/authorization.ts';
import type { McpServer } from '../../../contract/catalog.ts';
import type { Session } from '../../../contract/session.ts';
import type { SessionEvent } from '../../../contract/session-event.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { paths, type Reply } from '../../support/remote-server.ts';
import { admin, api, base, member, server, useTwoRemoteServers } from './two-remote-servers.ts';

let entryId: string;
let given: number;

/** Registers the hooks of a test file, those of `useTwoRemoteServers` among them. */
export function useRemoteSignIns(): void {
  useTwoRemoteServers({ sweepEveryMs: 300 });
  beforeEach(async () => {
    given = 0;
    server.change({ [paths.token]: tokens() });
    const entry = { name: 'notes', shape: { type: 'remote', url: server.url } };
    entryId = (await admin.ok<{ mcp_server: McpServer }>('POST', `${base}/mcp-servers`, entry)).mcp_server.id;
    await registered();
  });
  // Whatever happens, nothing of a sign-in is in a log.
  afterEach(() => expect(api.logged()).not.toMatch(/(access|refresh)-token-\d|the-code/));
}

export const tokens =
  (more: object = {}): Reply =>
  (_request, response) => {
    given += 1;
    const answer = { access_token: `access-token-${given}`, refresh_token: `refresh-token-${given}` };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...answer, token_type: 'Bearer', expires_in: 3600, ...more }));
  };
export const registration = () => api.db('mcp_registrations').where({ mcp_server_id: entryId }).first();
export const registered = () =>
  untilFound('the registration', async () => ((await registration())?.status === 'ready' ? true : null));

export interface Started {
  session: Session;
  agent: Agent;
}

export async function start(person = member): Promise<Started> {
  const { agent } = await person.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: `agent-${randomUUID()}`,
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  });
  await person.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'notes', env: {} });
  return { agent, session: await startOf(agent, person) };
}
export const startOf = async (agent: Agent, person = member): Promise<Session> =>
  (await person.ok<{ session: Session }>('POST', `${base}/sessions`, { agent_id: agent.id, prompt: 'Do it' }))
    .session;

export const read = async ({ id }: Session, person = member) =>
  (await person.ok<{ session: Session & { waiting_for: string | null } }>('GET', `/api/sessions/${id}`))
    .session;
export const reaches = (session: Session, status: string) =>
  untilFound(`session ${status}`, async () => {
    const found = await read(session);
    return found.status === status ? found : null;
  });
export const pendingOf = async ({ id }: Session, person = member) =>
  (await person.ok<{ authorizations: SessionAuthorization[] }>('GET', `/api/sessions/${id}/authorizations`))
    .authorizations;
export const eventsOf = async ({ id }: Session) =>
  (await member.ok<{ events: SessionEvent[] }>('GET', `/api/sessions/${id}/events`)).events;

/** A session that waits, and the sign-in that it waits for. */
export async function waiting(person = member): Promise<Started & { id: string }> {
  const started = await start(person);
  await reaches(started.session, 'awaiting_authorization');
  const [found] = await untilFound('the sign-in', async () => {
    const all = await pendingOf(started.session);
    return all.length > 0 ? all : null;
  });
  return { ...started, id: found?.id ?? '' };
}
export const readOwn = async (id: string, person = member) =>
  (await person.ok<{ authorization: Authorization }>('GET', `/api/authorizations/${id}`)).authorization;
export const begin = async (id: string, person = member) =>
  new URL((await person.ok<{ url: string }>('POST', `/api/authorizations/${id}/begin`)).url);

/** As the authorization server sends the person's browser back. */
export async function callBack(
  begun: URL,
  changed: Record<string, string | null> = {},
  person: Pick<Person, 'send'> = member,
): Promise<string> {
  const answer = { code: 'the-code', state: begun.searchParams.get('state'), iss: server.origin, ...changed };
  const query = new URLSearchParams(
    Object.entries(answer).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, value]],
    ),
  );
  const target = new URL(begun.searchParams.get('redirect_uri') ?? '');
  const { status, headers } = await person.send('GET', `${target.pathname}?${query}`);
  expect(status).toBe(302);
  return headers.get('location') ?? '';
}
export const page = (id: string) => `/app/_/authorizations/${id}`;
export const unknown = '/app/_/authorizations/unknown';
export const redeemed = () =>
  server.requests
    .filter(({ line }) => line === paths.token)
    .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
export const connections = async (person = member) =>
  (await person.ok<{ connections: Connection[] }>('GET', '/api/me/connections')).connections;
export const audited = async () =>
  api
    .db('audit_events')
    .where('event', 'like', 'connection.%')
    .orderBy('position')
    .select('event', 'actor_id', 'data');

export async function signIn(id: string): Promise<void> {
  expect(await callBack(await begin(id))).toBe(page(id));
}
