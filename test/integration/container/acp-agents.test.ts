/**
 * Agents of others, as they are, in images of the agent `acp` on a container engine. What these images hold
 * is what deploy/Dockerfile installs by the same lists.
 */
import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { acpPresets } from '../../../contract/acp-preset.ts';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { testEndpoints } from '../../support/model-endpoints.ts';
import { type ModelStub, startModelStub } from '../../support/model-stub/start-model-stub.ts';
import { type AcpImage, buildAcpImage } from '../runtime/acp-in-image.ts';
import { expectReport, scriptOfReport, sizes, withClaude } from '../runtime/claude-in-image.ts';
import { modelAccess } from '../runtime/model-endpoint.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions, internetGateway } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

const presets = ['claude', 'codex', 'opencode'] as const;
const packagesOf = (preset: string) => `agents/acp/packages/${preset}`;
/** As `npm run acp:install` does it. */
const isInstalled = (preset: string) => existsSync(`${packagesOf(preset)}/node_modules/.package-lock.json`);

describeInContainers('agents of others in containers', () => {
  const driver = containerDriver();
  let reports: Reports;
  let runtime: Runtime<SessionPlan>;
  let host: string;
  let model: ModelStub | undefined;
  let image: AcpImage | undefined;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    await driver.begin();
    reports = await takeReports(await driver.hostAddress());
    runtime = await driver.open(reports.url);
    host = await internetGateway(driver, sessions);
  });
  afterEach(async () => {
    await sessions.stopAll();
    await model?.close();
    await image?.remove();
    model = undefined;
    image = undefined;
  });
  afterAll(async () => {
    await reports?.close();
    await driver.end();
  });

  for (const preset of presets) {
    (isInstalled(preset) ? it : it.skip)(
      `${preset} asks the model without a network, calls tools, and ends the session`,
      async () => {
        image = await buildAcpImage(packagesOf(preset), '.', `/opt/agent/${preset}`);
        const port = await chooseTestPort();
        model = await startModelStub(scriptOfReport(), port, '0.0.0.0');
        const [dialect = 'messages'] = acpPresets[preset].dialects;
        const at = `${host}:${port}`;
        const base_url = dialect === 'messages' ? `http://${at}` : `http://${at}/v1`;
        const endpoint = { name: 'tested', dialect, base_url, default_max_tokens: 16_384 };
        runtime = await driver.openWith(reports.url, {
          workload: {
            acpImages: { [preset]: image.name },
            sizes,
            privateHosts: new Map([[at, 'http' as const]]),
            modelEndpoints: testEndpoints(undefined, endpoint),
          },
        });
        const access = { ...modelAccess, endpoint: 'tested', dialect, tokens_per_session: 1_000_000 };
        const run = { type: 'builtin' as const, name: 'acp' as const, preset };
        const agent = { ...withClaude.agent, run, model_access: access };
        const frozen = sessions.prepare({ ...withClaude, agent });
        await expectReport(runtime, frozen, { model, reports });
        expect(reports.of(frozen.session_id, 'events').map(({ body }) => body)).not.toContainEqual(
          expect.objectContaining({ type: 'agent.error' }),
        );
      },
      300_000,
    );
  }
});
