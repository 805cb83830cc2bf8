import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createWorkflowClient, type WorkflowClient } from '../../../api/workflow-client.ts';
import { temporalAddress } from '../../support/temporal.ts';

const clients: WorkflowClient[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

function client(address: string, timeoutMs = 1500): WorkflowClient {
  const made = createWorkflowClient({
    address,
    namespace: 'default',
    taskQueue: `nobody-${randomUUID()}`,
    timeoutMs,
  });
  clients.push(made);
  return made;
}

const calls: [string, (workflows: WorkflowClient) => Promise<unknown>][] = [
  ['starting a session', (workflows) => workflows.startSession(randomUUID(), 'agent')],
  ['telling a session', (workflows) => workflows.signalSession(randomUUID(), 'terminate')],
  ['asking for the next times of a schedule', (workflows) => workflows.schedules.readOutlook(randomUUID())],
  ['starting a request', (workflows) => workflows.startPermissionRequest(randomUUID(), 'summary')],
  ['deciding', (workflows) => workflows.decide(randomUUID(), randomUUID(), 'summary')],
  ['writing a grant', (workflows) => workflows.runGrant(randomUUID(), randomUUID(), 'summary')],
];

describe('while Temporal does not answer', () => {
  it.each(calls)('%s is refused as unavailable, within its limit', async (_what, call) => {
    await expect(call(client('127.0.0.1:1'))).rejects.toMatchObject({
      name: 'ApiError',
      code: 'unavailable',
    });
  });

  it('refuses also when the connection opens and then stays silent', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const workflows = client(`127.0.0.1:${port}`);
    await expect(workflows.signalSession(randomUUID(), 'terminate')).rejects.toMatchObject({
      code: 'unavailable',
    });
    silent.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
});

describe('while no worker runs', () => {
  it.each(calls.slice(4))('%s is refused as unavailable', async (_what, call) => {
    await expect(call(client(temporalAddress()))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('a session starts once and accepts signals; one that was never started does not', async () => {
    const workflows = client(temporalAddress(), 30_000);
    const sessionId = randomUUID();
    await workflows.startSession(sessionId, 'agent');
    await workflows.startSession(sessionId, 'agent');
    expect(await workflows.signalSession(sessionId, 'inputAvailable')).toBe(true);
    expect(await workflows.signalSession(randomUUID(), 'inputAvailable')).toBe(false);
  });
});
