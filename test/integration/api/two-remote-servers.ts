/**
 * The API beside two remote servers that are honest until a test changes them, and a workspace for each test.
 */
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Person } from '../../support/api.ts';
import { listServers, unlistServers } from '../../support/loopback-servers.ts';
import { type RemoteServer, startRemoteServer } from '../../support/remote-server.ts';
import { type SessionApi, type SessionWorkerOptions, startSessionApi } from '../../support/session-api.ts';

export let server: RemoteServer;
export let other: RemoteServer;
export let api: SessionApi;
export let admin: Person;
export let member: Person;
export let base: string;
export let workspaceId: string;

/** Registers the hooks of a test file; what is exported here is of the test that runs. */
export function useTwoRemoteServers(
  workerOptions: SessionWorkerOptions = {},
  environment: Record<string, string> = {},
): void {
  beforeAll(async () => {
    // The API is told which hosts are listed when it starts.
    [server, other] = await Promise.all([startRemoteServer(), startRemoteServer()]);
    api = await startSessionApi({ ...listServers([server, other]), ...environment }, workerOptions);
  });
  beforeEach(async () => {
    server.reset();
    other.reset();
    const made = await api.workspace();
    ({ admin, member, base } = made);
    workspaceId = made.workspace.id;
  });
  afterAll(async () => {
    await api.stop();
    unlistServers([server, other]);
    await Promise.all([server.close(), other.close()]);
  });
}
