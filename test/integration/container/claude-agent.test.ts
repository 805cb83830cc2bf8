/** The image of the agent `claude` on a container engine. */
import { afterAll, beforeAll, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { type ModelStub, startModelStub } from '../../support/model-stub/start-model-stub.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';
import { expectReport, scriptOfReport, sizes, withClaude } from '../runtime/claude-in-image.ts';
import { endpointAt } from '../runtime/model-endpoint.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions, internetGateway } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

describeInContainers('the agent claude in containers', () => {
  const driver = containerDriver();
  let reports: Reports;
  let model: ModelStub;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    await driver.begin();
    reports = await takeReports(await driver.hostAddress());
    runtime = await driver.open(reports.url);
    const port = await chooseTestPort();
    model = await startModelStub(scriptOfReport(), port, '0.0.0.0');
    const host = `${await internetGateway(driver, sessions)}:${port}`;
    runtime = await driver.openWith(reports.url, {
      workload: {
        images: requirePlatformImages(),
        sizes,
        ...endpointAt(host),
      },
    });
  });
  afterAll(async () => {
    await sessions.stopAll();
    await model?.close();
    await reports?.close();
    await driver.end();
  });

  it('asks the model without a network, calls tools, and ends the session', () =>
    expectReport(runtime, sessions.prepare(withClaude), { model, reports }));
});
