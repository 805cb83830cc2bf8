/**
 * Workers of one test process have each other's threads (test/support/workflow-threads.ts), and
 * nothing else of each other.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mcpCheckWorkflowId } from '../../contract/workflows.ts';
import type { mcpCheckWorkflow } from '../../workflows/index.ts';
import { eventually } from '../support/eventually.ts';
import { ScriptedPlatform, ScriptedSession } from './scripted-activities.ts';

// Jest's own runner keeps nothing for a process; here it does, like the runner of the project.
const key = Symbol.for('gatepost.process-resources');
const holder: typeof globalThis & { [key]?: (() => Promise<void>)[] } = globalThis;
holder[key] ??= [];
const { startTestWorker, workflowBundle } = await import('../support/worker.ts');
const { idleThreadIds } = await import('../support/workflow-threads.ts');

const closeKept = async () => {
  for (const close of holder[key] ?? []) {
    await close();
  }
};
beforeAll(closeKept);
afterAll(closeKept);

async function startWorker() {
  const platform = new ScriptedPlatform();
  const worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
  const startCheck = async () => {
    const checkId = randomUUID();
    const check = new ScriptedSession();
    platform.sessions.set(checkId, check);
    const handle = await worker.client.workflow.start<typeof mcpCheckWorkflow>('mcpCheckWorkflow', {
      workflowId: mcpCheckWorkflowId(checkId),
      taskQueue: worker.taskQueue,
      args: [{ checkId }],
    });
    await eventually(() => expect(check.calls).toContain('watchCheck'));
    return { check, handle };
  };
  return { ...worker, startCheck };
}

it('a worker has the threads of the one before, whose running workflow does not come with them', async () => {
  const first = await startWorker();
  const left = await first.startCheck();
  await first.stop();
  const threads = idleThreadIds();
  expect(threads).toHaveLength(2);

  const second = await startWorker();
  expect(idleThreadIds()).toEqual([]);
  const callsBefore = [...left.check.calls];
  left.check.checkExit = { kind: 'ended' };
  const own = await second.startCheck();
  own.check.checkExit = { kind: 'ended' };
  expect(await own.handle.result()).toEqual({ kind: 'ended' });
  expect(left.check.calls).toEqual(callsBefore);
  await second.stop();
  expect(idleThreadIds()).toEqual(threads);
});

it('two workers at a time have no thread in common', async () => {
  const workers = [await startWorker(), await startWorker()];
  expect(idleThreadIds()).toEqual([]);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(new Set(idleThreadIds()).size).toBe(4);
});
