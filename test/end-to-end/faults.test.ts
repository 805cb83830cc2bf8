/** Real-life faults, end to end: each ends in a clear state, and nothing is lost or duplicated. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';

const steps = {
  refused: {
    call: 'files.write_file',
    arguments: { path: '/workspace/a.txt', content: 'x' },
    expect: 'permission_required',
  },
  ask: {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: 'To write.',
    },
  },
  approved: { wait_for_message: { contains: 'approved', timeout_seconds: 120 } },
  written: { call: 'files.write_file', arguments: { path: '/workspace/a.txt', content: 'x' } },
};
const loop = [steps.refused, steps.ask, steps.approved, steps.written];

describe('when something fails', () => {
  let platform: Platform;
  let ada: FrontDoor;

  beforeAll(async () => {
    platform = await startPlatform({ usesRunServers: true, withoutDemoSession: true });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(() => platform?.stop());

  const registerServer = (name: string, command: string, args: string[] = []) =>
    ada.ok('POST', '/api/workspaces/demo/mcp-servers', {
      name,
      shape: { type: 'command', command, args },
      network: 'none',
    });

  it('a secret that was cleared after saving ends the next session with the attachment, the variable and the secret named', async () => {
    await ada.ok('PUT', '/api/workspaces/demo/secrets/SHORT_LIVED', { value: 'gone-tomorrow' });
    await ada.ok('POST', '/api/workspaces/demo/mcp-servers', {
      name: 'needs-secret',
      shape: { type: 'command', command: 'mcp-server-everything', args: [] },
      manifest: { env: { API_TOKEN: { kind: 'secret', label: 'Token', required: true } }, tool_scopes: {} },
      network: 'none',
    });
    const agent = await ada.createAgent('cleared', [], { 'needs-secret': { API_TOKEN: '${SHORT_LIVED}' } });
    await ada.ok('DELETE', '/api/workspaces/demo/secrets/SHORT_LIVED');
    const session = await ada.ended((await ada.startSession(agent.id)).id);

    expect(session.status).toBe('failed');
    for (const named of ['needs-secret', 'API_TOKEN', 'SHORT_LIVED']) {
      expect(session.status_reason).toContain(named);
    }
    expect(session.started_at).toBeNull();
    expect(await processesMentioning(session.id)).toEqual([]);
  });

  it.each([
    ['does not start', 'no-such-command', []],
    ['exits at once', 'sh', ['-c', 'exit 3']],
  ])(
    'a server that %s answers its calls with an error, and the session goes on',
    async (how, command, args) => {
      const name = how.replaceAll(' ', '-');
      await registerServer(name, command, args);
      const agent = await ada.createAgent(
        name,
        [
          { call: `${name}.anything`, arguments: {}, expect: 'error' },
          { call: 'files.list_directory', arguments: { path: '/workspace' } },
        ],
        { [name]: {}, files: {} },
      );
      const session = await ada.ended((await ada.startSession(agent.id)).id);
      expect(session).toMatchObject({ status: 'completed' });
    },
  );

  it('a server that never answers does not block other calls, and no process remains after the session', async () => {
    await registerServer('silent', 'sleep', ['3600']);
    const agent = await ada.createAgent(
      'patient',
      [{ call: 'files.list_directory', arguments: { path: '/workspace' } }, { sleep_seconds: 1 }],
      {
        silent: {},
        files: {},
      },
    );
    const session = await ada.ended((await ada.startSession(agent.id)).id);
    expect(session).toMatchObject({ status: 'completed' });
    await untilFound('an empty machine', async () =>
      (await processesMentioning(session.id)).length === 0 ? true : null,
    );
  });

  it('an agent that exits with an error, and one that never starts, end their sessions with a reason', async () => {
    for (const [name, run, reason] of [
      ['exits', { type: 'command', command: 'sh', args: ['-c', 'exit 7'] }, /exited with code 7/],
      ['never-starts', { type: 'command', command: 'no-such-agent', args: [] }, /could not be started/],
    ] as const) {
      const { agent } = await ada.ok<{ agent: { id: string } }>('POST', '/api/workspaces/demo/agents', {
        name,
        run,
      });
      const session = await ada.ended((await ada.startSession(agent.id)).id);
      expect(session.status).toBe('failed');
      expect(session.status_reason).toMatch(reason);
    }
  });

  it('an image server that this installation cannot run is refused at save, with the reason', async () => {
    const refused = await ada.send('POST', '/api/workspaces/demo/mcp-servers', {
      name: 'boxed',
      shape: { type: 'image', image: 'registry.example/team/server:1' },
    });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        error: {
          fields: [
            { path: 'shape.type', code: 'not_available', message: expect.stringMatching(/images need/) },
          ],
        },
      },
    });
    expect(await ada.send('GET', '/api/workspaces/demo/mcp-servers/boxed')).toMatchObject({ status: 404 });
  });

  it.each(['api', 'worker', 'sidecar'] as const)(
    'the %s is killed while a request waits, and the approval still arrives once',
    async (victim) => {
      const agent = await ada.createAgent(`survives-${victim}`, loop, { files: {} });
      const session = await ada.startSession(agent.id);
      const request = await ada.openRequest(session.id);
      // The request is recorded before the agent has its answer; from here on the agent waits.
      await untilFound('an agent that waits', async () =>
        (await ada.events(session.id)).find(({ payload }) =>
          String(payload['status']).includes('wait for a message'),
        ),
      );

      await platform.kill(victim, session.id);
      await platform.healthy();
      const grantId = await ada.approveWhenBack(request);

      expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
      const calls = (await ada.toolCalls(session.id)).filter((event) => event.data['tool'] === 'write_file');
      expect(calls.map(({ data }) => data['outcome'])).toEqual(['permission_required', 'ok']);
      expect(calls[1]?.data['granted_via']).toBe(grantId);
      const decided = (await ada.events(session.id)).filter((event) => event.type === 'permission.decided');
      expect(decided).toHaveLength(1);
    },
  );
});
