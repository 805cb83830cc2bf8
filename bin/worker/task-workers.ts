/**
 * The workers of one process, one for each task queue, with slots of its own: sessions, watches of checks,
 * decisions and deliveries.
 */
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { deliveriesAtATime } from '../../activities/channel-messages/deliver.ts';
import type { Activities } from '../../activities/index.ts';
import { localActivities, shortActivities } from '../../activities/workspace-share.ts';
import { taskQueues } from '../../contract/workflows.ts';

export interface TaskWorkerSlots {
  /** Sessions that start, and checks that run, at a time. Waiting sessions need none. */
  sessions: number;
  /** Decisions that are carried out at a time. */
  decisions: number;
}

export interface TaskWorkerDependencies {
  connection: NativeConnection;
  namespace: string;
  /** The queue for sessions; the others are named after it. */
  taskQueue: string;
  workflowBundle: { code: string };
  activities: Partial<Activities>;
  /** The same activities with resources reserved for decisions, such as database connections. */
  decisionActivities: Partial<Activities>;
  slots: TaskWorkerSlots;
  /** How each worker is created, where that is not Temporal's own way. */
  createWorker?: typeof Worker.create;
  identity?: string;
  shutdown?: { graceTime: Duration; forceTime: Duration };
}

type Duration = NonNullable<WorkerOptions['shutdownGraceTime']>;

export interface TaskWorkers {
  areRunning(): boolean;
  /**
   * Resolves when all of them have shut down. When one fails, the others are shut down and
   * it rejects with its error.
   */
  run(): Promise<void>;
  shutdown(): void;
}

export async function createTaskWorkers(dependencies: TaskWorkerDependencies): Promise<TaskWorkers> {
  const { activities, decisionActivities, workflowBundle, slots } = dependencies;
  const createWorker = dependencies.createWorker ?? ((options) => Worker.create(options));
  const queues = taskQueues(dependencies.taskQueue);
  const shared = sharedOptions(dependencies);
  const workers = await Promise.all([
    createWorker({
      ...shared,
      taskQueue: queues.sessions,
      workflowBundle,
      activities,
      maxConcurrentActivityTaskExecutions: slots.sessions + shortActivities,
      maxConcurrentLocalActivityExecutions: localActivities,
    }),
    createWorker({
      ...shared,
      taskQueue: queues.watches,
      activities,
      maxConcurrentActivityTaskExecutions: slots.sessions,
    }),
    createWorker({
      ...shared,
      taskQueue: queues.decisions,
      workflowBundle,
      activities: decisionActivities,
      maxConcurrentActivityTaskExecutions: slots.decisions,
    }),
    createWorker({
      ...shared,
      taskQueue: queues.deliveries,
      activities,
      maxConcurrentActivityTaskExecutions: deliveriesAtATime,
    }),
  ]);
  const shutdown = () => {
    for (const worker of workers.filter((each) => each.getState() === 'RUNNING')) {
      worker.shutdown();
    }
  };
  return {
    areRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    shutdown,
    async run() {
      const ended = workers.map((worker) => worker.run().finally(shutdown));
      await Promise.allSettled(ended);
      await Promise.all(ended);
    },
  };
}

function sharedOptions({ connection, namespace, identity, shutdown }: TaskWorkerDependencies) {
  return {
    connection,
    namespace,
    ...(identity === undefined ? {} : { identity }),
    maxHeartbeatThrottleInterval: '2 seconds',
    // How long a workflow waits for a lost worker before another one takes it over.
    stickyQueueScheduleToStartTimeout: '3 seconds',
    shutdownGraceTime: shutdown?.graceTime ?? '3 seconds',
    shutdownForceTime: shutdown?.forceTime ?? '10 seconds',
  } as const;
}
