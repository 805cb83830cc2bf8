/** The real activities over a fresh database, called as Temporal calls them. */

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { importSPKI } from 'jose';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { type Activities, createActivities } from '../../activities/index.ts';
import { createReadImage } from '../../activities/sessions/read-images.ts';
import {
  channelMessageWorkflowId,
  grantWorkflowId,
  mcpRegistrationWorkflowId,
  permissionRequestWorkflowId,
  servicePreviewWorkflowId,
  sessionWorkflowId,
} from '../../contract/workflows.ts';
import { publicRegistriesOnly } from '../../lib/oci/registry-policy.ts';
import { createPatternChecker } from '../../lib/patterns/pattern-checker.ts';
import { createTestDatabase } from './database.ts';
import { loopbackServers } from './loopback-servers.ts';
import { chatEndpoint, testEndpoints } from './model-endpoints.ts';
import { RecordingRuntime } from './recording-runtime.ts';
import { createTenant, type Tenant, testMasterKeys } from './tenant.ts';
import { loopbackWebhooks } from './webhook.ts';

const logger = new DefaultLogger('ERROR');

/** A Temporal where no workflow runs. */
export const unconnected: ActivityDependencies['workflows'] = {
  signalServicePreview: async () => false,
  signalScheduledRun: async () => false,
  signalSession: async () => false,
  startSession: async () => {},
};

export interface TestActivities {
  db: Knex;
  databaseUrl: string;
  runtime: RecordingRuntime;
  dependencies: ActivityDependencies;
  /** PKCS#8 PEM: what the API signs approvals with. */
  approvalPrivateKey: string;
  logged(): string;
  tenant(): Promise<Tenant>;
  run<Name extends keyof Activities>(
    name: Name,
    input: Parameters<Activities[Name]>[0],
    environment?: MockActivityEnvironment,
  ): Promise<Awaited<ReturnType<Activities[Name]>>>;
  drop(): Promise<void>;
}

export async function createTestActivities(): Promise<TestActivities> {
  const { db, url: databaseUrl, drop } = await createTestDatabase();
  const runtime = new RecordingRuntime();
  const keys = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const masterKeys = testMasterKeys();
  const patterns = createPatternChecker();
  const dependencies: ActivityDependencies = {
    db,
    connectionsOfWorkspace: 100,
    runtime,
    readImage: createReadImage(publicRegistriesOnly),
    modelEndpoints: testEndpoints(undefined, chatEndpoint, {
      ...chatEndpoint,
      name: 'of-others',
      workspaces: [],
    }),
    remoteServers: loopbackServers,
    webhooks: loopbackWebhooks,
    workflows: unconnected,
    patterns,
    masterKeys,
    sessionKeySeed: randomBytes(32),
    internalApiUrl: 'http://127.0.0.1:1',
    approvalPublicKey: await importSPKI(keys.publicKey, 'EdDSA'),
    limits: {
      WORKER_MAX_SESSIONS: 100_000,
      LIMIT_ARTIFACT_BYTES: 10 * 1024 * 1024,
      LIMIT_SESSION_ARTIFACT_BYTES: 100 * 1024 * 1024,
      SESSION_START_SECONDS: 60,
      SESSION_AUTHORIZATION_SECONDS: 600,
      SESSION_TOTAL_SECONDS: 3600,
      SESSION_IDLE_SECONDS: 600,
      TOOL_CALL_RETENTION_FLOOR_DAYS: 30,
      CHECK_SECONDS: 60,
      LIMIT_RUNNING_SESSIONS_PER_USER: 100_000,
      LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: 100_000,
      RATE_SESSIONS_PER_HOUR_PER_USER: 100_000,
      RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: 100_000,
    },
    searchAttributesKnown: true,
    subjectAttributeKnown: true,
    log: pino({ level: 'debug' }, sink),
  };
  const activities = createActivities(dependencies);
  return {
    db,
    databaseUrl,
    runtime,
    dependencies,
    approvalPrivateKey: keys.privateKey,
    logged: () => lines.join(''),
    tenant: () => createTenant(db, masterKeys),
    run: (name, input, environment) =>
      (environment === undefined
        ? ownWorkflow(db, input).then(environmentOf)
        : Promise.resolve(environment)
      ).then((own) => own.run(activities[name] as (argument: typeof input) => never, input)),
    async drop() {
      await patterns.close();
      await drop();
    },
  };
}

/** Where an activity runs as part of this workflow. */
export function environmentOf(workflowId: string, attempt = 1): MockActivityEnvironment {
  const workflowExecution = { workflowId, runId: randomUUID() };
  return new MockActivityEnvironment({ workflowExecution, attempt }, { logger });
}

/** The workflow that an activity with this input belongs to. */
async function ownWorkflow(db: Knex, input: object): Promise<string> {
  const given: Partial<Record<string, unknown>> = { ...input };
  const { sessionId, requestId, decisionId, registrationId, messageId, previewId } = given;
  if (previewId !== undefined) {
    return servicePreviewWorkflowId(String(previewId));
  }
  if (messageId !== undefined) {
    return channelMessageWorkflowId(String(messageId));
  }
  if (registrationId !== undefined) {
    return mcpRegistrationWorkflowId(String(registrationId));
  }
  if (decisionId === undefined) {
    return sessionId === undefined
      ? permissionRequestWorkflowId(String(requestId))
      : sessionWorkflowId(String(sessionId));
  }
  const decision = await db('decisions')
    .whereRaw('id::text = ?', [String(decisionId)])
    .first();
  return decision?.request_id == null
    ? grantWorkflowId(decision?.approval == null ? '' : grantIdOf(decision.approval))
    : permissionRequestWorkflowId(decision.request_id);
}

const grantIdOf = (approval: string): string =>
  JSON.parse(Buffer.from(approval.split('.')[1] ?? '', 'base64url').toString()).grant.id;
