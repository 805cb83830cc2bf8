/** An image of the agent `acp` in a Pod. */
import { afterAll, beforeAll, it } from '@jest/globals';
import { clusterTimeoutMs } from '../../support/kubernetes/test-cluster.ts';
import {
  type AcpImage,
  buildScriptedAcpImage,
  expectApprovedCall,
  withScriptedAcp,
} from '../runtime/acp-in-image.ts';
import { type PlatformStandIn, startPlatformStandIn } from '../sidecar/platform-stand-in.ts';
import { describeOnKubernetes } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

describeOnKubernetes('the agent acp on a cluster', () => {
  const sessions = sessionsOnCluster();
  let image: AcpImage;
  let custom: string;
  let platform: PlatformStandIn;

  beforeAll(async () => {
    image = await buildScriptedAcpImage();
    custom = await sessions.driver.cluster().importImage(image.name);
  }, clusterTimeoutMs);
  afterAll(async () => {
    await platform?.close();
    await image?.remove();
  });

  it('starts a program of somebody else, which makes exactly the approved call, once', async () => {
    const frozen = sessions.prepare(withScriptedAcp);
    platform = await startPlatformStandIn(frozen.session_id, await sessions.driver.hostAddress());
    const { driver } = sessions;
    const runtime = await driver.openWith(platform.url, { containers: { acpImages: { custom } } });
    await expectApprovedCall(runtime, frozen, platform);
    await runtime.stop(frozen.session_id);
  });
});
