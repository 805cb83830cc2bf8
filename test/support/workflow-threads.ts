/**
 * Temporal workers whose thread for workflows is used again by a later worker of the process. Most of the
 * processor time that a worker takes to start goes into the loading of Temporal's code in a new thread.
 */
import { Worker as Thread } from 'node:worker_threads';
import { type CompiledWorkerOptions, type Logger, Worker } from '@temporalio/worker';
import type {
  Workflow,
  WorkflowCreateOptions,
  WorkflowCreator,
} from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename as Bundle } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import * as z from 'zod';
import { recordCost } from './costs.ts';
import { keepForProcess } from './process-resources.ts';

/** What is inside of the SDK's creator of workflows. */
const withThreads = z.object({
  workerThreadClients: z.array(z.object({ workerThread: z.instanceof(Thread) })),
});

/** A file has two workers at a time, seldom four: more would only take memory. */
const mostIdleThreads = 4;
const idle: WorkflowThread[] = [];
const areKept = keepForProcess(async () => {
  await Promise.all(idle.splice(0).map((thread) => thread.end()));
});

/** The threads that wait for a worker, by their ids. */
export const idleThreadIds = (): number[] => idle.flatMap((thread) => thread.ids()).sort();

/**
 * The bundle that was read last: that takes longer than all else which a worker does once it has its thread.
 */
let lastRead: { code: string; bundle: Bundle | undefined } | undefined;

/**
 * Each worker has a thread to itself, as in the product. Its task queue, connection and
 * activities are new each time.
 */
export class ThreadReusingWorker extends Worker {
  protected static override async getOrCreateBundle(
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<Bundle | undefined> {
    const { workflowBundle } = options;
    if (workflowBundle === undefined || !('code' in workflowBundle)) {
      return Worker.getOrCreateBundle(options, logger);
    }
    if (lastRead?.code !== workflowBundle.code) {
      lastRead = { code: workflowBundle.code, bundle: await Worker.getOrCreateBundle(options, logger) };
    }
    return lastRead.bundle;
  }

  protected static override async createWorkflowCreator(
    bundle: Bundle,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    recordCost('workers');
    const purpose = `${[...options.activities.keys()].sort()} ${bundle.code}`;
    const index = idle.findIndex((thread) => thread.serves(purpose));
    const [kept] = index === -1 ? [] : idle.splice(index, 1);
    kept?.hold();
    return kept ?? new WorkflowThread(purpose, await Worker.createWorkflowCreator(bundle, options, logger));
  }
}

/** Runs the workflows of one worker after another. */
class WorkflowThread implements WorkflowCreator {
  private readonly purpose: string;
  private readonly inner: WorkflowCreator;
  private readonly threads: Thread[];
  private workflows = 0;

  constructor(purpose: string, inner: WorkflowCreator) {
    this.purpose = purpose;
    this.inner = inner;
    this.threads = withThreads.parse(inner).workerThreadClients.map(({ workerThread }) => workerThread);
  }

  /** That of a thread that has ended is -1. */
  ids(): number[] {
    return this.threads.map(({ threadId }) => threadId);
  }

  /** Whether it has the bundle and knows the activities, and has not crashed. */
  serves(purpose: string): boolean {
    return this.purpose === purpose && !this.ids().includes(-1);
  }

  hold(): void {
    for (const thread of this.threads) {
      thread.ref();
    }
  }

  async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const workflow = await this.inner.createWorkflow(options);
    this.workflows++;
    return {
      activate: (activation) => workflow.activate(activation),
      getAndResetSinkCalls: () => workflow.getAndResetSinkCalls(),
      dispose: async () => {
        await workflow.dispose();
        this.workflows--;
      },
    };
  }

  /** Its worker has ended. It waits for the next one, unless workflows were left in it. */
  async destroy(): Promise<void> {
    if (!areKept || this.workflows > 0 || idle.length >= mostIdleThreads) {
      await this.end();
      return;
    }
    for (const thread of this.threads) {
      thread.unref();
    }
    idle.push(this);
  }

  async end(): Promise<void> {
    await this.inner.destroy();
  }
}
