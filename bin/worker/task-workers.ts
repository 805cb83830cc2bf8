/** The workers of one process, one for each task queue, with slots of its own: sessions, watches and decisions (design 6). */
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { taskQueues } from '../../contract/workflows.ts';

export interface TaskWorkerSlots {
  /** Sessions that are watched at a time. */
  watches: number;
  /** Decisions that are carried out at a time. */
  decisions: number;
}

export interface TaskWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  /** The queue for sessions; the others are named after it. */
  taskQueue: string;
  workflowBundle: { code: string };
  activities: Partial<Activities>;
  /** The same activities with what is set aside for decisions, such as connections to the database. */
  decisionActivities: Partial<Activities>;
  slots: TaskWorkerSlots;
  identity?: string;
  shutdown?: { graceTime: Duration; forceTime: Duration };
}

type Duration = NonNullable<WorkerOptions['shutdownGraceTime']>;

export interface TaskWorkers {
  areRunning(): boolean;
  /** Resolves when all of them have shut down. When one fails, the others are shut down and it rejects with that. */
  run(): Promise<void>;
  shutdown(): void;
}

/** Beside the watches of sessions that an earlier release put on the sessions' queue: launches and deliveries. */
const shortActivities = 50;

/** Sessions and requests that an earlier release began go on: everything of theirs is on the sessions' queue, which takes it all. */
export async function createTaskWorkers(options: TaskWorkerOptions): Promise<TaskWorkers> {
  const { activities, decisionActivities, workflowBundle, slots } = options;
  const queues = taskQueues(options.taskQueue);
  const shared = sharedOptions(options);
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: queues.sessions,
      workflowBundle,
      activities,
      maxConcurrentActivityTaskExecutions: slots.watches + shortActivities,
    }),
    Worker.create({
      ...shared,
      taskQueue: queues.watches,
      activities,
      maxConcurrentActivityTaskExecutions: slots.watches,
    }),
    Worker.create({
      ...shared,
      taskQueue: queues.decisions,
      workflowBundle,
      activities: decisionActivities,
      maxConcurrentActivityTaskExecutions: slots.decisions,
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

function sharedOptions({ connection, namespace, identity, shutdown }: TaskWorkerOptions) {
  return {
    connection,
    namespace,
    ...(identity === undefined ? {} : { identity }),
    maxHeartbeatThrottleInterval: '2 seconds',
    // How long a workflow waits for a worker that is gone before another one takes it.
    stickyQueueScheduleToStartTimeout: '3 seconds',
    shutdownGraceTime: shutdown?.graceTime ?? '3 seconds',
    shutdownForceTime: shutdown?.forceTime ?? '10 seconds',
  } as const;
}
