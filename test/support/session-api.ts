/**
 * The API with sessions, on real Postgres and Temporal, and with a real worker whose runtime starts nothing.
 */

import { createPublicKey, randomUUID } from 'node:crypto';
import { importSPKI } from 'jose';
import { pino } from 'pino';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createActivities } from '../../activities/index.ts';
import { createReadImage } from '../../activities/sessions/read-images.ts';
import { embeddingServersWith } from '../../api/embedding-provider/provider-url.ts';
import { createStreamLimit } from '../../api/event-stream/stream-limit.ts';
import { createStreamReads } from '../../api/event-stream/stream-reads.ts';
import { createSignApproval } from '../../api/grants/sign-approval.ts';
import { operationRoutes } from '../../api/routes.ts';
import { createWorkflowClient, type WorkflowClient } from '../../api/workflow-client.ts';
import { keepSweeping } from '../../bin/keep-sweeping.ts';
import { sweepParts } from '../../bin/worker/sweep.ts';
import type { TaskWorkerSlots } from '../../bin/worker/task-workers.ts';
import { watchWorkloads } from '../../bin/worker/watch-workloads.ts';
import type { Agent } from '../../contract/agent.ts';
import type { FrozenConfiguration, Session } from '../../contract/session.ts';
import { internalToken } from '../../contract/session-keys.ts';
import { internalTokenHeader } from '../../contract/sidecar.ts';
import { publicRegistriesOnly } from '../../lib/oci/registry-policy.ts';
import { createPatternChecker } from '../../lib/patterns/pattern-checker.ts';
import type { Runtime } from '../../runtime/workload.ts';
import { openSessionEventFeed, type SessionEventFeed } from '../../store/session-events/feed.ts';
import { createWorkspaceOf } from '../../store/workspaces/workspace-of.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { createSchedules } from '../../workflows/schedules-client.ts';
import { unconnected } from './activities.ts';
import { type Answer, caller, type Person, startTestApi, type TestApi } from './api.ts';
import { untilFound } from './eventually.ts';
import { loopbackServers } from './loopback-servers.ts';
import { testEndpoints } from './model-endpoints.ts';
import { RecordingRuntime } from './recording-runtime.ts';
import { temporalAddress } from './temporal.ts';
import { loopbackWebhooks } from './webhook.ts';
import { startTestWorker, type TestWorker, workflowBundle } from './worker.ts';

export interface SessionApi extends TestApi {
  workflows: WorkflowClient;
  temporal: TestWorker['client'];
  runtime: RecordingRuntime;
  /**
   * A session of a new agent of the person's, with further fields, whose sidecar has reported that it
   * listens.
   */
  runningSession(person: Person, base: string, fields?: object): Promise<{ session: Session; agent: Agent }>;
  /** A request as the session's sidecar sends it. */
  asSidecar(sessionId: string, method: string, path: string, body?: unknown): Promise<Answer>;
  token(sessionId: string): string;
}

const log = pino({ level: 'silent' });
/** Starts a thread only with its first task; the thread does not keep the process running. */
const patterns = createPatternChecker();

export interface SessionWorkerOptions {
  slots?: Partial<TaskWorkerSlots>;
  /** How long a session may take to report that its sidecar listens. */
  startSeconds?: number;
  /** How long an operator may take to sign in to a remote server. */
  authorizationSeconds?: number;
  /** How long the API waits for Temporal and, for a decision, a worker. */
  decisionMs?: number;
  /** Interval of the worker's sweeps; without it there are none. */
  sweepEveryMs?: number;
  /** Of the Temporal server of API and worker; that of the run unless it is given. */
  temporalAddress?: string;
}

export async function startSessionApi(
  overrides: Record<string, string> = {},
  workerOptions: SessionWorkerOptions = {},
): Promise<SessionApi> {
  const taskQueue = `api-${randomUUID()}`;
  const workflows = createWorkflowClient({
    address: overrides['TEMPORAL_ADDRESS'] ?? workerOptions.temporalAddress ?? temporalAddress(),
    namespace: 'default',
    taskQueue,
    timeoutMs: workerOptions.decisionMs ?? 30_000,
  });
  let feed: SessionEventFeed | undefined;
  let sign: Awaited<ReturnType<typeof createSignApproval>> | undefined;
  const moreRoutes = (db: TestApi['db'], config: TestApi['config']) => {
    feed = openSessionEventFeed(config.DATABASE_URL);
    return operationRoutes({
      db,
      toolDb: db,
      config,
      log,
      patterns,
      remoteServers: loopbackServers,
      embeddingServers: embeddingServersWith(new Map()),
      workflows,
      eventFeed: feed,
      streamLimit: createStreamLimit(config),
      streamReads: createStreamReads(db),
      signApproval: async (...approval) => {
        sign ??= await createSignApproval(config.APPROVAL_PRIVATE_KEY);
        return sign(...approval);
      },
    });
  };
  const api = await startTestApi(overrides, moreRoutes, null, {
    reviseRegistration: workflows.reviseRegistration,
    startAuthorization: workflows.startAuthorization,
    settleAuthorization: workflows.settleAuthorization,
    schedules: workflows.schedules,
  });
  const runtime = new RecordingRuntime();
  const worker = await startSessionWorker(api, runtime, { taskQueue, ...workerOptions });
  const token = (sessionId: string) => internalToken(api.config.SESSION_KEY_SEED, sessionId);
  const asSidecar: SessionApi['asSidecar'] = (sessionId, method, path, body) =>
    caller(api.url).send(method, `/internal/sessions/${sessionId}/${path}`, body, {
      [internalTokenHeader]: token(sessionId),
    });
  return {
    ...api,
    workflows,
    temporal: worker.client,
    runtime,
    token,
    asSidecar,
    async runningSession(person, base, fields = {}) {
      const { agent } = await person.ok<{ agent: Agent }>('POST', `${base}/agents`, {
        name: `agent-${randomUUID()}`,
        run: { type: 'builtin', name: 'scripted' },
        instructions: '{"steps":[]}',
        ...fields,
      });
      const { session } = await person.ok<{ session: Session }>('POST', `${base}/sessions`, {
        agent_id: agent.id,
        prompt: 'Do it',
      });
      await untilFound(`the launch of session ${session.id}`, async () => {
        const { state } = await runtime.inspect(session.id);
        return state === 'running' ? true : null;
      });
      const ready = await asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
      if (ready.status !== 200) {
        throw new Error(`ready was answered with ${ready.status}`);
      }
      return { session, agent };
    },
    async stop() {
      await worker.stop();
      // Temporal is shared by all test files, and would begin runs that nobody works on.
      const ids: string[] = await api.db('schedules').pluck('id');
      await Promise.all(ids.map((id) => workflows.schedules.remove(id)));
      await workflows.close();
      await feed?.close();
      await api.stop();
    },
  };
}

/** A worker with all that it does beside its tasks. */
export async function startSessionWorker(
  api: Pick<TestApi, 'db' | 'config'>,
  runtime: Runtime<FrozenConfiguration>,
  { sweepEveryMs, ...options }: SessionWorkerOptions & { taskQueue: string },
): Promise<TestWorker> {
  const worker = await startWorker(api, runtime, options);
  const stopWatching = keepWatching(worker, sweepEveryMs);
  return {
    ...worker,
    async stop() {
      await stopWatching();
      await worker.stop();
      await patterns.close();
    },
  };
}

/** What a worker does beside its tasks: watches workloads and, when asked, sweeps. */
function keepWatching(
  { client, taskQueue, dependencies }: StartedWorker,
  sweepEveryMs: number | undefined,
): () => Promise<void> {
  const workflows = createWorkflows(client.workflow, taskQueue);
  const workloads = watchWorkloads({
    ...dependencies,
    workspaceOf: createWorkspaceOf(dependencies.db),
    workflows,
  });
  const kept = {
    outputKeptSeconds: 3600,
    checkKeptSeconds: 3600,
    refusedCallKeptSeconds: 3600,
    channelMessagesKeptSeconds: 3600,
    scheduleRunsKeptSeconds: 3600,
  };
  const schedules = createSchedules(client.schedule, taskQueue);
  const sweeping = { dependencies, workflows, schedules, workloads, ...kept };
  const stopSweeping = keepSweeping(sweepEveryMs === undefined ? {} : sweepParts(sweeping), {
    intervalMs: sweepEveryMs ?? 0,
    log,
  });
  return async () => {
    workloads.stop();
    await stopSweeping();
  };
}

type StartedWorker = TestWorker & { dependencies: ActivityDependencies };

async function startWorker(
  { db, config }: Pick<TestApi, 'db' | 'config'>,
  runtime: Runtime<FrozenConfiguration>,
  {
    taskQueue,
    slots = {},
    startSeconds = 60,
    authorizationSeconds = 600,
    temporalAddress: address = temporalAddress(),
  }: SessionWorkerOptions & { taskQueue: string },
): Promise<StartedWorker> {
  const publicKey = createPublicKey(config.APPROVAL_PRIVATE_KEY).export({ type: 'spki', format: 'pem' });
  const dependencies: ActivityDependencies = {
    connectionsOfWorkspace: 100,
    db,
    runtime,
    readImage: createReadImage(publicRegistriesOnly),
    modelEndpoints: testEndpoints(),
    remoteServers: loopbackServers,
    webhooks: loopbackWebhooks,
    // Replaced once the worker is connected.
    workflows: unconnected,
    patterns,
    masterKeys: config.MASTER_KEYS,
    sessionKeySeed: config.SESSION_KEY_SEED,
    internalApiUrl: 'http://127.0.0.1:1',
    approvalPublicKey: await importSPKI(publicKey.toString(), 'EdDSA'),
    limits: {
      WORKER_MAX_SESSIONS: 100_000,
      LIMIT_ARTIFACT_BYTES: 10 * 1024 * 1024,
      LIMIT_SESSION_ARTIFACT_BYTES: config.LIMIT_SESSION_ARTIFACT_BYTES,
      SESSION_START_SECONDS: startSeconds,
      SESSION_AUTHORIZATION_SECONDS: authorizationSeconds,
      SESSION_TOTAL_SECONDS: 3600,
      SESSION_IDLE_SECONDS: 600,
      TOOL_CALL_RETENTION_FLOOR_DAYS: 30,
      CHECK_SECONDS: 60,
      LIMIT_RUNNING_SESSIONS_PER_USER: config.LIMIT_RUNNING_SESSIONS_PER_USER,
      LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: config.LIMIT_RUNNING_SESSIONS_PER_WORKSPACE,
      RATE_SESSIONS_PER_HOUR_PER_USER: config.RATE_SESSIONS_PER_HOUR_PER_USER,
      RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: config.RATE_SESSIONS_PER_HOUR_PER_WORKSPACE,
    },
    searchAttributesKnown: true,
    subjectAttributeKnown: true,
    log,
  };
  const activities = createActivities(dependencies);
  const bundle = await workflowBundle();
  const worker = await startTestWorker({ bundle, activities, taskQueue, slots, address });
  dependencies.workflows = createWorkflows(worker.client.workflow, taskQueue);
  return { ...worker, dependencies };
}
