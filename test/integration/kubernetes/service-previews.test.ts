/**
 * The service of a preview on a cluster: a Pod that belongs to its session's. The rest is in
 * the contract of runtimes.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { podName } from '../../../runtime/kubernetes/names.ts';
import { WorkloadFailedError } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { describeOnKubernetes } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

describeOnKubernetes('the service of a preview on a cluster', () => {
  const sessions = sessionsOnCluster();
  const service = (sessionId: string) => sessions.prepare({ service: { port: 8080, session_id: sessionId } });

  it('is a Pod that the session’s owns, and that is removed with it', async () => {
    const sessionId = await sessions.start(sessions.prepare());
    const previewId = await sessions.start(service(sessionId));
    const admin = sessions.driver.admin();
    const [pod] = await admin.listPods(previewId);
    expect(pod?.metadata?.ownerReferences).toMatchObject([{ kind: 'Pod', name: podName(sessionId) }]);
    await sessions.runtime().stop(sessionId);
    await eventually(async () => expect(await admin.listPods(previewId)).toEqual([]));
    await sessions.runtime().stop(previewId);
    expect(await sessions.driver.running(previewId)).toEqual([]);
  });

  it('does not start for a session that has no Pod', async () => {
    const starting = sessions.start(service(randomUUID()));
    await expect(starting).rejects.toThrow(WorkloadFailedError);
    await expect(starting).rejects.toThrow('The session of this preview no longer runs');
  });
});
