/**
 * Opens the runtime as a worker does, watches the cluster, and closes the runtime; then nothing is left to
 * do, and the process exits unless something keeps it alive. Prints what did so before the close. Its
 * variables: KUBECONFIG and KUBERNETES_NAMESPACE.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { openRuntime } from '../../../bin/worker/open-runtime.ts';
import { parseEnvironment } from '../../../config/parse.ts';
import { workerConfig } from '../../../config/worker.ts';

const key = () => randomBytes(32).toString('base64');
const config = parseEnvironment(workerConfig, {
  ...process.env,
  RUNTIME: 'kubernetes',
  DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  INTERNAL_API_URL: 'http://127.0.0.1:1',
  MASTER_KEYS: `k:${key()}`,
  SESSION_KEY_SEED: key(),
  APPROVAL_PUBLIC_KEY: key(),
  SIDECAR_IMAGE: 'localhost/sidecar:1',
  SCRIPTED_IMAGE: 'localhost/scripted:1',
  RUNNER_IMAGE: 'localhost/runner:1',
});
const { runtime, close } = await openRuntime(config, {
  programs: '/',
  takeLeftCalls: async () => undefined,
  takePatch: async () => undefined,
  log: pino({ level: 'silent' }),
});
await runtime.list();
// The watch has its own connection by then.
await sleep(1000);
process.stdout.write(JSON.stringify(process.getActiveResourcesInfo()));
close();
