/** Runs of services of previews whose histories are recorded, as those of `scenarios.ts`. */
import { randomUUID } from 'node:crypto';
import { type ServicePreviewWorkflowInput, servicePreviewWorkflowId } from '../../contract/workflows.ts';
import { eventually } from '../support/eventually.ts';
import { ScriptedService } from '../workflows/scripted-services.ts';
import type { Scenario, Stage } from './scenarios.ts';

async function start(
  { worker, platform }: Stage,
  script: Partial<ScriptedService> = {},
  more: Partial<ServicePreviewWorkflowInput> = {},
) {
  const previewId = randomUUID();
  const service = Object.assign(new ScriptedService(), script);
  platform.services.set(previewId, service);
  const workflowId = servicePreviewWorkflowId(previewId);
  const { client, taskQueue } = worker;
  const args: [ServicePreviewWorkflowInput] = [{ previewId, ...more }];
  const handle = await client.workflow.start('servicePreviewWorkflow', { workflowId, taskQueue, args });
  const called = (name: Parameters<ScriptedService['count']>[0], times = 1) =>
    eventually(() => {
      if (service.count(name) < times) {
        throw new Error(`${name} was not called ${times} times`);
      }
    });
  const end = async (ending: ScriptedService['ending']) => {
    service.ending = ending;
    await handle.signal('serviceChanged');
    await handle.result();
    return { workflowId };
  };
  return { handle, service, workflowId, called, end };
}

async function startRunning(...input: Parameters<typeof start>) {
  const started = await start(...input);
  await started.called('lookAtService', 2);
  await started.handle.signal('serviceReady');
  await started.called('publishService');
  return started;
}

const crashed = { state: 'failed', reason: 'The service exited with code 1' } as const;
const stopped = { state: 'stopped', reason: null } as const;

export const serviceScenarios: Record<string, Scenario> = {
  'service-stopped-with-its-preview': async (stage) => (await startRunning(stage)).end(stopped),
  'service-that-exits': async (stage) => (await startRunning(stage)).end(crashed),
  'service-that-still-runs': async (stage) => ({ workflowId: (await startRunning(stage)).workflowId }),
  'service-whose-gateway-is-not-ready': async (stage) => {
    const { handle, workflowId } = await start(stage, { startMs: 500 });
    await handle.result();
    return { workflowId };
  },
  'service-unwanted-while-it-starts': async (stage) => {
    const { called, end } = await start(stage, { startTakesMs: 800 });
    await called('startService');
    return end(stopped);
  },
  'service-unwanted-before-it-starts': async (stage) => {
    const isWanted = { freezeService: false, startService: true };
    const { handle, workflowId } = await start(stage, { isWanted });
    await handle.result();
    return { workflowId };
  },
  'service-whose-gateway-starts-again': async (stage) => {
    const { handle, called, end } = await startRunning(stage);
    await handle.signal('serviceReady');
    await called('publishService', 2);
    return end(stopped);
  },
  'service-continues-as-a-new-run': async (stage) => {
    const { handle, workflowId, end } = await startRunning(stage, {}, { historyLimit: 40 });
    const { runId } = await handle.describe();
    while ((await handle.describe()).runId === runId) {
      await handle.signal('serviceChanged');
    }
    await end(stopped);
    return { workflowId, runId };
  },
  'service-continued-from-an-earlier-run': async (stage) => {
    const { called, end } = await start(stage, {}, { isStarted: true, searchAttributesKnown: true });
    await called('publishService');
    return end(crashed);
  },
  'service-whose-workflow-is-cancelled': async (stage) => {
    const { handle, workflowId } = await startRunning(stage);
    await handle.cancel();
    await handle.result();
    return { workflowId };
  },
};
