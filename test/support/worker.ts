/** A real worker on the real development server, on a task queue of its own. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { temporalAddress } from './temporal.ts';

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
const quiet = new DefaultLogger('ERROR');

export interface TestWorker {
  client: Client;
  taskQueue: string;
  /** Waits for what runs, within a limit. */
  stop(): Promise<void>;
}

/** Bundled once for each test file. */
export async function workflowBundle(path = workflowsPath): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({ workflowsPath: path, logger: quiet });
  return { code };
}

let installed = false;
/** Keeps the SDK from writing about every worker that comes and goes. */
export function quietRuntime(): void {
  if (!installed) {
    Runtime.install({
      logger: quiet,
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    });
    installed = true;
  }
}

export async function startTestWorker(options: {
  bundle: { code: string };
  activities: Partial<Activities>;
  taskQueue?: string;
}): Promise<TestWorker> {
  quietRuntime();
  const taskQueue = options.taskQueue ?? `test-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const worker = await Worker.create({
    connection,
    taskQueue,
    // Histories that are kept name no machine.
    identity: 'test-worker',
    workflowBundle: options.bundle,
    activities: options.activities,
    maxConcurrentActivityTaskExecutions: 50,
    shutdownGraceTime: '100ms',
    shutdownForceTime: '2s',
  });
  const running = worker.run();
  const clientConnection = await Connection.connect({ address: temporalAddress() });
  return {
    client: new Client({ connection: clientConnection }),
    taskQueue,
    stop: async () => {
      worker.shutdown();
      // A worker that is forced down says so; the tests do not wait for sessions that go on.
      await running.catch(() => undefined);
      await clientConnection.close();
      await connection.close();
    },
  };
}
