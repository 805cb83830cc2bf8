/** The worker: runs the workflows and their activities, and the sessions' workloads. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { importSPKI } from 'jose';
import type { Logger } from 'pino';
import { webhooksWith } from '../activities/channel-messages/webhooks.ts';
import type { ActivityDependencies } from '../activities/dependencies.ts';
import { createActivities } from '../activities/index.ts';
import { createReadImage } from '../activities/sessions/read-images.ts';
import { takePatchWith } from '../activities/workloads/keep-patch.ts';
import { decisionsAtATime, shareOfConnections } from '../activities/workspace-share.ts';
import { allModelEndpoints } from '../config/model-endpoints.ts';
import { parseEnvironment } from '../config/parse.ts';
import { temporalConnection } from '../config/temporal.ts';
import { type WorkerConfig, workerConfig } from '../config/worker.ts';
import { taskQueue } from '../contract/workflows.ts';
import { remoteServersWith } from '../lib/oauth/requests.ts';
import { registryPolicy } from '../lib/oci/registry-policy.ts';
import { createPatternChecker } from '../lib/patterns/pattern-checker.ts';
import { openDatabase } from '../store/database.ts';
import { verifyMasterKeys } from '../store/secrets/master-keys.ts';
import { requireAnswer } from '../store/server-state.ts';
import { recordLeftCalls } from '../store/tool-calls/record.ts';
import { requireUsableDatabase } from '../store/usable-server.ts';
import { createWorkspaceOf } from '../store/workspaces/workspace-of.ts';
import { createWorkflows } from '../workflows/client.ts';
import { createSchedules } from '../workflows/schedules-client.ts';
import { keepSweeping } from './keep-sweeping.ts';
import { readEnvironment } from './read-environment.ts';
import { reportFailure } from './report-failure.ts';
import { reportUnread } from './report-unread.ts';
import { serveHealth } from './worker/health.ts';
import { keepReporting } from './worker/keep-reporting.ts';
import { createLogger } from './worker/logger.ts';
import { openRuntime } from './worker/open-runtime.ts';
import { sweepParts } from './worker/sweep.ts';
import { createTaskWorkers } from './worker/task-workers.ts';
import { connectToTemporal, knownSearchAttributes } from './worker/temporal.ts';
import { watchWorkloads } from './worker/watch-workloads.ts';

const programs = fileURLToPath(new URL('.', import.meta.url));
const sweepIntervalMs = 60_000;

const daySeconds = 24 * 3600;

/** How long what the sweep erases is kept. */
const keptSeconds = (config: WorkerConfig) => ({
  outputKeptSeconds: config.PROCESS_OUTPUT_KEPT_SECONDS,
  // After it ended.
  checkKeptSeconds: daySeconds,
  // The arguments of a refused call, after its permission request was closed.
  refusedCallKeptSeconds: daySeconds,
  // After it was delivered or failed.
  channelMessagesKeptSeconds: 30 * daySeconds,
  scheduleRunsKeptSeconds: 30 * daySeconds,
});

/** Concurrent database queries of sessions never delay a decision. */
function openPools({ DATABASE_URL: url, DATABASE_POOL: whole }: WorkerConfig) {
  const open = (poolSize: number) => ({
    db: openDatabase(url, { poolSize }),
    connectionsOfWorkspace: shareOfConnections(poolSize),
  });
  const forDecisions = Math.ceil(whole / 4);
  return { sessions: open(whole - forDecisions), decisions: open(forDecisions) };
}

async function main(config: WorkerConfig, log: Logger): Promise<void> {
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => stopping.abort());
  }
  let takesWork = async () => false;
  const { HEALTH_PORT: port } = config;
  const host = config.RUNTIME === 'kubernetes' ? '::' : '127.0.0.1';
  const health = port === undefined ? null : await serveHealth({ host, port, isReady: () => takesWork() });
  const pools = openPools(config);
  const { db } = pools.sessions;
  await requireUsableDatabase(db, 'worker');
  await verifyMasterKeys(db, config.MASTER_KEYS);
  const temporal = temporalConnection(config);
  const { namespace } = temporal;
  const connection = await connectToTemporal(temporal, log, stopping.signal);
  const {
    runtime,
    capabilities,
    close: closeRuntime,
  } = await openRuntime(config, {
    programs,
    takeLeftCalls: (sessionId, calls, counts) => recordLeftCalls(db, sessionId, calls, counts),
    takePatch: takePatchWith({ db, sessionBytes: config.LIMIT_SESSION_ARTIFACT_BYTES }),
    log,
  });
  const { workflow, schedule } = new Client({ connection, namespace });
  const workflows = createWorkflows(workflow, taskQueue);
  const schedules = createSchedules(schedule, taskQueue);
  const patterns = createPatternChecker();
  const dependencies: ActivityDependencies = {
    ...pools.sessions,
    runtime,
    readImage: createReadImage(registryPolicy(config.PRIVATE_REGISTRIES, config.REGISTRY_REALMS)),
    modelEndpoints: allModelEndpoints(config),
    remoteServers: remoteServersWith(config.PRIVATE_MCP_HOSTS),
    webhooks: webhooksWith(config.PRIVATE_WEBHOOK_HOSTS),
    workflows,
    patterns,
    masterKeys: config.MASTER_KEYS,
    sessionKeySeed: config.SESSION_KEY_SEED,
    internalApiUrl: config.INTERNAL_API_URL,
    approvalPublicKey: await importSPKI(config.APPROVAL_PUBLIC_KEY, 'EdDSA'),
    limits: config,
    ...(await knownSearchAttributes(connection, namespace, log)),
    log,
  };
  const workers = await createTaskWorkers({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { code: readFileSync(`${programs}workflows.js`, 'utf8') },
    activities: createActivities(dependencies),
    decisionActivities: createActivities({ ...dependencies, ...pools.decisions }),
    slots: { sessions: config.WORKER_MAX_SESSIONS, decisions: decisionsAtATime },
  });
  const workloads = watchWorkloads({ runtime, workflows, workspaceOf: createWorkspaceOf(db), log });
  const sweeping = { dependencies, workflows, schedules, workloads, ...keptSeconds(config) };
  const stopSweeping = keepSweeping(sweepParts(sweeping), { intervalMs: sweepIntervalMs, log });
  const reporting = keepReporting({ db, log }, { host: hostname(), capabilities });
  // Running sessions continue while no worker runs; the next worker finds and watches them.
  stopping.signal.addEventListener('abort', () => workers.shutdown());
  log.info({ taskQueue, namespace }, 'the worker is ready');
  takesWork = async () => {
    await requireAnswer(db);
    return workers.areRunning();
  };
  await workers.run();
  await health?.close();
  workloads.stop();
  await stopSweeping();
  await reporting.stop();
  closeRuntime();
  await patterns.close();
  await connection.close();
  await Promise.all([db.destroy(), pools.decisions.db.destroy()]);
}

try {
  const environment = readEnvironment();
  reportUnread('worker', environment);
  const config = parseEnvironment(workerConfig, environment);
  await main(config, createLogger(config.LOG_LEVEL));
} catch (error) {
  reportFailure('worker', error);
  process.exit(1);
}
