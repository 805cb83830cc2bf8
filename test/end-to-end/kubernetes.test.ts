/**
 * The chart on a real cluster, from its installation to its removal, and an approved call on it with
 * an MCP server's own image.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { V1Pod } from '@kubernetes/client-node';
import { signInAtProvider } from '../../bin/start/provider-sign-in.ts';
import { describeWithTool } from '../support/deployment-tools.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../support/docker-registry.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { prepareRelease, type Release } from '../support/kubernetes/release.ts';
import {
  clusterTimeoutMs,
  kubernetesPrograms,
  startTestCluster,
} from '../support/kubernetes/test-cluster.ts';
import { platformImages } from '../support/platform-images.ts';
import { startWithBrokenServer, toldOfBrokenServer } from './broken-server.ts';
import {
  finishedUnder,
  finishSession,
  type Notes,
  prepareNotes,
  pushNotesImage,
  startWaitingSession,
} from './notes.ts';

// Pods of a cluster elsewhere cannot be reached from here.
const canRun =
  kubernetesPrograms !== null && !process.env['KUBECONFIG'] && hasDockerRegistry && platformImages !== null;

(canRun ? describeWithTool('helm', 'kubectl') : describe.skip)('the platform on Kubernetes', () => {
  const storage = mkdtempSync(join(tmpdir(), 'registry-storage-'));
  let registry: DockerRegistry;
  let release: Release;
  let ada: FrontDoor;
  let max: FrontDoor;
  let notes: Notes;

  beforeAll(async () => {
    const cluster = await startTestCluster();
    registry = await startDockerRegistry(storage, { address: cluster.hostAddress });
    cluster.trustRegistry(registry.host);
    release = await prepareRelease(cluster, { registry: registry.host });
  }, clusterTimeoutMs);
  afterAll(async () => {
    await release?.end();
    await registry?.stop();
    rmSync(storage, { recursive: true, force: true });
  });

  const signIn = async (person: string) => {
    const { cookie } = await signInAtProvider(release.url, person, release.identity.request);
    return new FrontDoor(release.url, cookie);
  };

  const kill = (pods: V1Pod[]) =>
    Promise.all(
      pods.map(({ metadata }) =>
        release.core.deleteNamespacedPod({
          name: metadata?.name ?? '',
          namespace: release.namespace,
          gracePeriodSeconds: 0,
        }),
      ),
    );
  const startWaiting = () => release.explained(startWaitingSession(max, notes));

  it('is installed as docs/operations.md says, creates its schema, and accepts users of the identity provider', async () => {
    await release.install();
    expect((await release.pods('api')).map(isReady)).toEqual([true, true]);
    expect((await release.pods('worker')).map(isReady)).toEqual([true, true]);
    ada = await signIn('ada');
    max = await signIn('max');
    await ada.ok('POST', '/api/workspaces', { slug: 'demo', name: 'Demo' });
    const { user } = await max.me();
    await ada.ok('PUT', `/api/workspaces/demo/members/${user.id}`, { role: 'member' });
  });

  it('runs an approved call with an image that was built and pushed, and removes every object of the session', async () => {
    const image = await pushNotesImage(registry.host);
    notes = await prepareNotes(ada, image);
    expect(notes.entry).toMatchObject({
      manifest_source: 'image',
      manifest: { tool_scopes: { add_note: 'notes.write' } },
    });
    const { session, request } = await startWaiting();
    const [pod] = await release.sessionPods();
    const server = pod?.spec?.containers.find(({ name }) => name.includes('notes'));
    expect(server?.image).toBe(`${image.replace(/:1$/, '')}@${notes.entry.image_digest}`);
    expect(JSON.stringify(pod)).not.toContain(notes.token);
    const grant = await max.approve(request);
    expect(await finishSession(max, ada, session.id)).toEqual(finishedUnder(grant.id));
    await eventually(async () => expect(await release.sessionParts()).toEqual([]));
  });

  it('reports why an MCP server does not work, and shows its output to admins only', async () => {
    expect(await release.explained(startWithBrokenServer(ada, max))).toMatchObject(toldOfBrokenServer);
  });

  it('completes a launch exactly once when every worker was killed during it, and removes every object of it', async () => {
    const session = await max.startSession(notes.agentId);
    await untilFound('the session’s Pod', async () => (await release.sessionPods())[0]);
    await kill(await release.pods('worker'));
    const request = await release.explained(max.openRequest(session.id));
    expect(await release.sessionPods()).toHaveLength(1);
    // A decision needs a worker, too.
    const grantId = await max.approveWhenBack(request);
    expect(await finishSession(max, ada, session.id)).toEqual(finishedUnder(grantId));
    await eventually(async () => expect(await release.sessionParts()).toEqual([]));
  });

  it('continues after every Pod of the API and every worker was killed while a session waits', async () => {
    const { session, request } = await startWaiting();
    await kill([...(await release.pods('api')), ...(await release.pods('worker'))]);
    const grantId = await max.approveWhenBack(request);
    expect(await finishSession(max, ada, session.id)).toEqual(finishedUnder(grantId));
  });

  it('is upgraded while a session waits, without downtime', async () => {
    const { session, request } = await startWaiting();
    const before = (await release.pods('api')).map(({ metadata }) => metadata?.uid);
    const watch = watchHealth(release.url);
    await release.upgrade({ config: { LOG_LEVEL: 'warn' } });
    expect(await watch.failures()).toEqual([]);
    await eventually(async () => {
      const ready = (await release.pods('api')).filter(isReady).map(({ metadata }) => metadata?.uid);
      expect(ready.filter((uid) => before.includes(uid))).toEqual([]);
    });
    const grant = await max.approve(request);
    expect(await finishSession(max, ada, session.id)).toEqual(finishedUnder(grant.id));
  });

  it('is removed with all running sessions', async () => {
    await startWaiting();
    await release.uninstall();
    // Helm waits for the resources that it created, not for the Pods that controllers created from them.
    await eventually(async () => {
      const { items } = await release.core.listNamespacedPod({ namespace: release.namespace });
      expect(items).toEqual([]);
    });
    const namespaces = async () =>
      (await release.core.listNamespace()).items.map(({ metadata }) => metadata?.name);
    await eventually(async () => expect(await namespaces()).not.toContain(release.sessionsNamespace));
  });
});

const isReady = ({ status, metadata }: V1Pod) =>
  metadata?.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

/** Asks for the API's health on a new connection each time, as many people would. */
function watchHealth(url: string): { failures(): Promise<string[]> } {
  const failures: string[] = [];
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const answer = await askOnce(`${url}/api/health`);
      if (answer !== '200') {
        failures.push(answer);
      }
      await sleep(50);
    }
  })();
  return {
    async failures() {
      stopped = true;
      await watching;
      return failures;
    },
  };
}

function askOnce(url: string): Promise<string> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(String(answer.statusCode)));
    }).once('error', (error) => resolve(error.message));
  });
}
