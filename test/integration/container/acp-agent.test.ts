/** An image of the agent `acp` on a container engine. */
import { afterAll, beforeAll, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import {
  type AcpImage,
  buildScriptedAcpImage,
  expectApprovedCall,
  withScriptedAcp,
} from '../runtime/acp-in-image.ts';
import { type PlatformStandIn, startPlatformStandIn } from '../sidecar/platform-stand-in.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

describeInContainers('the agent acp in containers', () => {
  const driver = containerDriver();
  let image: AcpImage;
  let platform: PlatformStandIn;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    await driver.begin();
    image = await buildScriptedAcpImage();
  });
  afterAll(async () => {
    await sessions.stopAll();
    await platform?.close();
    await image?.remove();
    await driver.end();
  });

  it('starts a program of somebody else, which makes exactly the approved call, once', async () => {
    const frozen = sessions.prepare(withScriptedAcp);
    platform = await startPlatformStandIn(frozen.session_id, await driver.hostAddress());
    runtime = await driver.openWith(platform.url, { workload: { acpImages: { custom: image.name } } });
    await expectApprovedCall(runtime, frozen, platform);
  });
});
