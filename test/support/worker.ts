/** A real worker on the real development server, on a task queue of its own. */
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import * as z from 'zod';
import type { Activities } from '../../activities/index.ts';
import { createTaskWorkers, type TaskWorkerSlots } from '../../bin/worker/task-workers.ts';
import { temporalAddress } from './temporal.ts';
import { ThreadReusingWorker } from './workflow-threads.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const workflowsPath = join(root, 'workflows/index.ts');
const keptBundle = join(root, '.cache/test/workflow-bundle.json');
const keptForm = z.object({ sources: z.string(), code: z.string() });
const quiet = new DefaultLogger('ERROR');

export interface TestWorker {
  client: Client;
  taskQueue: string;
  /** Waits for what runs, within a limit. */
  stop(): Promise<void>;
}

/**
 * The workflows of the product, bundled once for each state of their sources; those at another
 * path are always bundled.
 */
export async function workflowBundle(path = workflowsPath): Promise<{ code: string }> {
  if (path !== workflowsPath) {
    return bundle(path);
  }
  const sources = hashOfSources();
  const kept = readKept();
  if (kept?.sources === sources) {
    return kept;
  }
  const made = { sources, ...(await bundle(path)) };
  // Test files run side by side: each reads a whole bundle or none.
  const unfinished = `${keptBundle}.${process.pid}`;
  mkdirSync(dirname(keptBundle), { recursive: true });
  writeFileSync(unfinished, JSON.stringify(made));
  renameSync(unfinished, keptBundle);
  return made;
}

async function bundle(path: string): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({ workflowsPath: path, logger: quiet });
  return { code };
}

function readKept(): z.infer<typeof keptForm> | null {
  return existsSync(keptBundle) ? keptForm.parse(JSON.parse(readFileSync(keptBundle, 'utf8'))) : null;
}

/** Hashes what goes into a bundle: workflows import the contract, and packages of the lock file. */
function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const folder of ['workflows', 'contract']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      const file = join(root, folder, name);
      hash.update(`${folder}/${name}\0`).update(statSync(file).isFile() ? readFileSync(file) : '');
    }
  }
  return hash.digest('hex');
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
  /** The activities for decisions, where they differ. */
  decisionActivities?: Partial<Activities>;
  /** The queue for sessions; those beside it are named after it. */
  taskQueue?: string;
  slots?: Partial<TaskWorkerSlots>;
  /** Of the Temporal server; that of the run unless it is given. */
  address?: string;
}): Promise<TestWorker> {
  quietRuntime();
  const { taskQueue = `test-${randomUUID()}`, address = temporalAddress() } = options;
  const connection = await NativeConnection.connect({ address });
  const workers = await createTaskWorkers({
    connection,
    namespace: 'default',
    taskQueue,
    // Recorded histories must not name a machine.
    identity: 'test-worker',
    workflowBundle: options.bundle,
    activities: options.activities,
    decisionActivities: options.decisionActivities ?? options.activities,
    slots: { sessions: 50, decisions: 20, ...options.slots },
    createWorker: (workerOptions) => ThreadReusingWorker.create(workerOptions),
    shutdown: { graceTime: '100ms', forceTime: '2s' },
  });
  const running = workers.run();
  const clientConnection = await Connection.connect({ address });
  return {
    client: new Client({ connection: clientConnection }),
    taskQueue,
    stop: async () => {
      workers.shutdown();
      // A forced shutdown rejects; the tests do not wait for sessions that are still running.
      await running.catch(() => undefined);
      await clientConnection.close();
      await connection.close();
    },
  };
}
