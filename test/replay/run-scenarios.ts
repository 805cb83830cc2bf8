/** Runs of schedules whose histories are recorded, as those of `scenarios.ts`. */
import { randomUUID } from 'node:crypto';
import type { Workflow } from '@temporalio/client';
import { type ScheduledRunWorkflowInput, scheduledRunWorkflowId } from '../../contract/workflows.ts';
import { eventually } from '../support/eventually.ts';
import { ScriptedRun } from '../workflows/scripted-runs.ts';
import type { Scenario, Stage } from './scenarios.ts';

async function start(
  { worker, platform }: Stage,
  script: Partial<ScriptedRun> = {},
  more: Partial<ScheduledRunWorkflowInput> = {},
) {
  const scheduleId = randomUUID();
  const run = Object.assign(new ScriptedRun(), script);
  platform.runs.set(scheduleId, run);
  const workflowId = scheduledRunWorkflowId({ scheduleId, scheduledAt: '2026-11-27T06:00:00Z' });
  const handle = await worker.client.workflow.start<Workflow>('scheduledRunWorkflow', {
    workflowId,
    taskQueue: worker.taskQueue,
    args: [{ scheduleId, ...more }],
  });
  return { run, handle, workflowId };
}

const looked = (run: ScriptedRun, times: number) =>
  eventually(() => {
    if (run.calls.filter((call) => call === 'look').length < times) {
      throw new Error('the session was not looked at yet');
    }
  });

export const runScenarios: Record<string, Scenario> = {
  'run-whose-session-ends': async (stage) => {
    const { run, handle, workflowId } = await start(stage);
    await looked(run, 1);
    await handle.signal('scheduledSessionEnded');
    await looked(run, 2);
    run.hasEnded = true;
    await handle.signal('scheduledSessionEnded');
    await handle.result();
    return { workflowId };
  },
  'run-without-a-session': async (stage) => {
    const { handle, workflowId } = await start(stage, { hasSession: false });
    await handle.result();
    return { workflowId };
  },
  'run-that-makes-way-for-the-next': async (stage) => {
    const { run, handle, workflowId } = await start(stage);
    await looked(run, 1);
    await handle.cancel();
    await handle.result();
    return { workflowId };
  },
  'run-continued-from-an-earlier-run': async (stage) => {
    const { handle, workflowId } = await start(stage, { hasEnded: true }, { isStarted: true });
    await handle.result();
    return { workflowId };
  },
  'run-continues-as-a-new-run': async (stage) => {
    const { run, handle, workflowId } = await start(stage, {}, { historyLimit: 15 });
    const { runId } = await handle.describe();
    while ((await handle.describe()).runId === runId) {
      await handle.signal('scheduledSessionEnded');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    run.hasEnded = true;
    await handle.signal('scheduledSessionEnded');
    await handle.result();
    return { workflowId, runId };
  },
};
