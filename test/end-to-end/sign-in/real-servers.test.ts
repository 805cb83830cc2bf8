/**
 * Remote servers whose sign-in others built, as they are: Keycloak, FastMCP, and the authorization
 * server of the Python SDK.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Authorization, Connection, SessionAuthorization } from '../../../contract/authorization.ts';
import type { McpServer } from '../../../contract/catalog.ts';
import type { McpRegistration } from '../../../contract/mcp-registration.ts';
import type { Session } from '../../../contract/session.ts';
import { waitForever, waitFor as waitForMessage } from '../../support/asking-steps.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { FrontDoor } from '../../support/front-door.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { startKeycloak, startLimitMs } from './keycloak.ts';
import { signInAs } from './person.ts';
import { type SignInServer, signInPrograms, startPythonServer } from './sign-in-server.ts';

const people = ['ada', 'max'] as const;
type Person = (typeof people)[number];

/** One port is the MCP server's; the other is for an authorization server that is a program of its own. */
type Start = (port: number, authorizationPort: number) => Promise<SignInServer>;

const starts: Record<string, Start> = {
  keycloak: (...both) => startKeycloak(people, ...both),
  fastmcp: (port) => startPythonServer('fastmcp', port),
  sdk: (port) => startPythonServer('sdk', port),
};

const ports: Record<string, [number, number]> = {};
let platform: Platform;
let doors: Record<Person, FrontDoor>;

const describeWithServers = signInPrograms === null ? describe.skip : describe;

describeWithServers('a remote server whose sign-in others built', () => {
  beforeAll(async () => {
    for (const name of Object.keys(starts)) {
      ports[name] = [await chooseTestPort(), await chooseTestPort()];
    }
    const origins = Object.values(ports)
      .flat()
      .map((port) => `http://127.0.0.1:${port}`);
    platform = await startPlatform({
      env: { PRIVATE_MCP_HOSTS: origins.join(',') },
      usesRunServers: true,
      withoutDemoSession: true,
    });
    const [ada, max] = await Promise.all(
      people.map((person) => FrontDoor.signIn(platform.url, `${person}@demo.test`)),
    );
    doors = { ada, max } as Record<Person, FrontDoor>;
  });
  afterAll(() => platform?.stop());

  describe.each(Object.entries(starts))('%s', (name, start) => {
    let server: SignInServer;
    let agent: Agent;
    const sessions = {} as Record<Person, Session>;

    beforeAll(async () => {
      server = await start(...(ports[name] as [number, number]));
    }, startLimitMs);
    afterAll(() => server?.stop());

    it('is registered at, once', async () => {
      await doors.ada.ok('POST', entries(), { name, shape: { type: 'remote', url: server.url } });
      expect(await registered(name)).toMatchObject({ status: 'ready', sign_in: 'oauth', reason: null });
      expect(await server.clients()).toHaveLength(1);
    });

    it('signs in two people, each for their own session', async () => {
      agent = await doors.max.createAgent(`agent-${name}`, stepsOf(name), { [name]: {} });
      for (const person of people) {
        sessions[person] = await doors[person].startSession(agent.id);
        await signIn(person, await pendingOf(person, sessions[person]));
      }
      await eventually(async () =>
        expect((await server.calls()).map(({ tool, person }) => [tool, person]).toSorted()).toEqual([
          ['read', 'ada'],
          ['read', 'max'],
        ]),
      );
      expect(await server.signedIn()).toEqual(['ada', 'max']);
    });

    it('has tokens refreshed without anybody signing in', async () => {
      const before = await untilEnded(server);
      await Promise.all(people.map((person) => say(person, sessions[person], 'again')));
      const after = await eventually(async () => {
        const calls = await server.calls();
        expect(calls).toHaveLength(before.length + 2);
        return calls;
      });
      expect(new Set(after.map(({ token }) => token)).size).toBe(4);
      expect(new Set(after.map(({ client }) => client)).size).toBe(1);
    });

    it('is allowed more by the person whose call needs it, and for nobody else', async () => {
      await say('max', sessions.max, 'write');
      const pending = await pendingOf('max', sessions.max);
      expect(pending.missing_scopes).toEqual(['notes.write']);
      await signIn('max', pending);
      await eventually(async () =>
        expect(await server.calls()).toContainEqual(
          expect.objectContaining({ tool: 'write', person: 'max' }),
        ),
      );
      expect((await server.calls()).filter(({ tool }) => tool === 'write')).toHaveLength(1);
      expect((await connectionOf('max', name))?.scopes).toContain('notes.write');
      expect((await connectionOf('ada', name))?.scopes).not.toContain('notes.write');
    });

    it('revokes what a person ends, and nothing of another', async () => {
      await signOut('ada', name);
      await eventually(async () => expect(await server.signedIn()).toEqual(['max']));
      await eventually(async () => {
        const path = `${doors.ada.workspace}/audit-events?event=connection.revoked&limit=200`;
        const { audit_events } = await doors.ada.ok<{ audit_events: { data: object }[] }>('GET', path);
        const own = audit_events.filter(({ data }) => JSON.stringify(data).includes(server.issuer));
        expect(own.map(({ data }) => data)).toContainEqual(expect.objectContaining({ at_server: true }));
      });
    });

    it('that deleted the client has it registered again, and the person sign in once more', async () => {
      const before = await untilEnded(server);
      const [deleted] = await server.clients();
      await server.deleteClients();
      await say('max', sessions.max, 'deleted');
      await signIn('max', await pendingOf('max', sessions.max));
      const last = await eventually(async () => {
        const calls = await server.calls();
        expect(calls).toHaveLength(before.length + 1);
        return calls.at(-1);
      });
      expect(last).toMatchObject({ tool: 'read', person: 'max' });
      expect(last?.client).not.toBe(deleted);
      expect(await server.clients()).toEqual([last?.client]);
    });

    it('that deleted the client while nobody was signed in is registered again by a retry', async () => {
      await signOut('max', name);
      const [deleted] = await server.clients();
      await server.deleteClients();
      await retry(name);
      const clients = await server.clients();
      expect(clients).toHaveLength(1);
      expect(clients).not.toContain(deleted);
      for (const person of people) {
        const connect = `${entries()}/${name}/connect`;
        const { authorization } = await doors[person].ok<{ authorization: Authorization }>(
          'POST',
          connect,
          {},
        );
        await signIn(person, authorization);
      }
      expect(await server.signedIn()).toEqual(['ada', 'max']);
    });

    it('keeps a client that it can be asked for at a retry, and deletes it with the entry', async () => {
      const [used] = await server.clients();
      for (const person of people) {
        await signOut(person, name);
      }
      await retry(name);
      expect(await server.clients()).toContain(used);
      expect(await server.clients()).toHaveLength(server.managesClients ? 1 : 2);
      await doors.max.ok('DELETE', `/api/agents/${agent.id}/mcp-attachments/${name}`);
      await doors.ada.ok('DELETE', `${entries()}/${name}`);
      await eventually(async () => expect(await server.signedIn()).toEqual([]));
      await eventually(async () =>
        expect(await server.clients()).toHaveLength(server.managesClients ? 0 : 2),
      );
    });
  });
});

const entries = () => `${doors.ada.workspace}/mcp-servers`;

const stepsOf = (name: string) => {
  const call = (tool: string) => ({
    call: `${name}.${tool}`,
    arguments: {},
    repeat_on: { code: 'authorization_required', every_seconds: 1, timeout_seconds: 300 },
  });
  return [
    ...[call('read'), waitForMessage('again'), call('read'), waitForMessage('write'), call('write')],
    ...[waitForMessage('deleted'), call('read'), waitForever],
  ];
};

async function retry(name: string): Promise<void> {
  await doors.ada.ok('POST', `${entries()}/${name}/registration/retry`);
  expect(await registered(name)).toMatchObject({ status: 'ready', reason: null });
}

const registered = (name: string) =>
  untilFound(`the registration of ${name}`, async () => {
    const { mcp_server } = await doors.ada.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${entries()}/${name}`,
    );
    return mcp_server.registration.status === 'pending' ? null : mcp_server.registration;
  });

/** The sign-in that a session of this person waits for. */
const pendingOf = (person: Person, { id }: Session) =>
  untilFound(`what ${person} has to sign in for`, async () => {
    const path = `/api/sessions/${id}/authorizations`;
    const { authorizations } = await doors[person].ok<{ authorizations: SessionAuthorization[] }>(
      'GET',
      path,
    );
    return authorizations[0];
  });

/**
 * As a person does, from the platform's page to the server's and back. A server that is being
 * registered again is waited for.
 */
async function signIn(person: Person, { id }: { id: string }): Promise<void> {
  const door = doors[person];
  const url = await untilFound(`a sign-in of ${person} that can begin`, async () => {
    const { status, body } = await door.send<{ url: string }>('POST', `/api/authorizations/${id}/begin`);
    return status === 200 ? body.url : null;
  });
  const back = await signInAs(person, url, platform.url);
  expect(await door.leadsTo(back)).toBe(`/app/_/authorizations/${id}`);
  const { authorization } = await door.ok<{ authorization: Authorization }>(
    'GET',
    `/api/authorizations/${id}`,
  );
  expect(authorization).toMatchObject({ problem: null, status: 'connected' });
}

async function connectionOf(person: Person, name: string): Promise<Connection | undefined> {
  const { connections } = await doors[person].ok<{ connections: Connection[] }>('GET', '/api/me/connections');
  return connections.find(({ mcp_server }) => mcp_server === name);
}

async function signOut(person: Person, name: string): Promise<void> {
  await doors[person].ok('DELETE', `/api/me/connections/${(await connectionOf(person, name))?.id}`);
}

const say = (person: Person, { id }: Session, text: string) =>
  doors[person].ok('POST', `/api/sessions/${id}/messages`, { text });

/** Every call so far, once no token of theirs is taken any more. */
const untilEnded = (server: SignInServer) =>
  untilFound('the end of the tokens', async () => {
    const calls = await server.calls();
    return calls.every(({ has_ended }) => has_ended) ? calls : null;
  });
