/**
 * Sessions with siblings on a whole platform: a real database, a secret in its environment, and what a
 * session says that could not start.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { demoSecret } from '../../bin/start/demo-content.ts';
import type { Agent } from '../../contract/agent.ts';
import type { SessionProcess } from '../../contract/session-process.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';

let demo: DemoWorkspace;
let ada: FrontDoor;

beforeAll(async () => {
  demo = await openDemoWorkspace();
  ada = await demo.signIn('ada');
});
afterAll(() => demo.close());

const node = (script: string) => ({ type: 'command', command: 'node', args: ['-e', script] });
const sh = (script: string) => ({ type: 'command', command: 'sh', args: ['-c', script] });

async function begin(agent: Record<string, unknown>): Promise<{ agent: Agent; id: string }> {
  const created = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, agent);
  await ada.ok('POST', `${ada.workspace}/grants`, {
    ...{ agent_subject_id: created.agent.id, grant_type: 'agent_env', scope: 'persistent' },
    ...{ details: { secret_name: demoSecret } },
  });
  return { agent: created.agent, id: (await ada.startSession(created.agent.id)).id };
}
const processesOf = async (id: string) =>
  (await ada.ok<{ processes: SessionProcess[] }>('GET', `/api/sessions/${id}/processes`)).processes;

describeWith('bwrap')('a session with siblings', () => {
  it('reaches one by TCP, which has the value of its secret, and shows both as processes', async () => {
    const serves = `const { createHash } = require('node:crypto');
      require('node:net').createServer((socket) => socket.on('error', () => {})
        .end(createHash('sha256').update(process.env.KEY).digest('hex'))).listen(5432, '127.0.0.1');`;
    const expected = createHash('sha256').update('token of the demo').digest('hex');
    const asks = `const [host, port] = process.env.SIBLING_DB_ADDRESS.split(':');
      let heard = ''; require('node:net').connect(Number(port), host).on('data', (chunk) => { heard += chunk; })
        .on('close', () => setTimeout(() => process.exit(heard === '${expected}' ? 0 : 1), 1000));`;
    const { id } = await begin({
      ...{ name: 'asks', run: node(asks) },
      siblings: [
        {
          ...{ name: 'db', run: node(serves), env: { KEY: `\${${demoSecret}}` }, port: 5432 },
          ready: { type: 'port', timeout_seconds: 60 },
        },
      ],
    });
    expect(await ada.ended(id)).toMatchObject({ status: 'completed' });
    expect(await processesOf(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'sibling', name: 'db', starts: 1 }),
        expect.objectContaining({ kind: 'agent', name: 'agent', starts: 1 }),
      ]),
    );
  });

  it.each([
    [
      'is never ready',
      'sleep 600',
      'was not ready within 2 seconds',
      { state: 'failed', cause: 'not_ready_in_time', ready_limit_seconds: 2, signal: null },
    ],
    [
      'crashes first',
      'exit 3',
      'ended with exit code 3 before it was ready',
      { state: 'ended', cause: null, exit_code: 3 },
    ],
  ])('fails with one sentence when one %s, and leaves nothing', async (_, script, words, shown) => {
    const { id } = await begin({
      ...{ name: `waits: ${words}`, run: sh('echo never; exit 0') },
      siblings: [
        { name: 'db', run: sh(script), port: 5432, ready: { type: 'port', timeout_seconds: 2 } },
        { name: 'other', run: sh('sleep 600') },
      ],
    });
    const session = await ada.ended(id);
    expect(session).toMatchObject({
      status: 'failed',
      status_reason: `The sibling "db" ${words}, so the agent was not started`,
      outcome: null,
    });
    expect(await processesOf(id)).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'agent', state: 'not_started', starts: 0 })]),
    );
    await eventually(async () => expect(await processesMentioning(id)).toEqual([]));
    // Its sidecar has reported all by then, the end that the platform made included.
    expect(await processesOf(id)).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'db', ...shown })]),
    );
  });
});

const versions = '/usr/lib/postgresql';
const postgres = existsSync(versions)
  ? readdirSync(versions)
      .map((version) => join(versions, version, 'bin'))
      .find((directory) => existsSync(join(directory, 'initdb')))
  : undefined;

(postgres === undefined ? describe.skip : describeWith('bwrap'))('a real Postgres as a sibling', () => {
  it('is ready when it says so itself, and answers over TCP', async () => {
    const runs = `${postgres}/initdb -D /workspace/data -U agent --auth=trust >/dev/null &&
      exec ${postgres}/postgres -D /workspace/data -c listen_addresses=127.0.0.1 -c unix_socket_directories=/tmp`;
    const asks = `set -e
      [ "$(${postgres}/psql -h 127.0.0.1 -p 5432 -U agent -d postgres -Atc 'select 6 * 7')" = 42 ]
      ${postgres}/pg_isready -q -h 127.0.0.1`;
    const { id } = await begin({
      ...{ name: 'queries', run: sh(asks) },
      siblings: [
        {
          ...{ name: 'db', run: sh(runs), port: 5432 },
          ready: {
            ...{ type: 'command', command: `${postgres}/pg_isready`, timeout_seconds: 120 },
            args: ['-q', '-h', '/tmp', '-U', 'agent'],
          },
        },
      ],
    });
    expect(await ada.ended(id)).toMatchObject({
      status: 'completed',
      status_reason: 'The agent exited with code 0',
    });
  });
});
