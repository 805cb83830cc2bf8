/** The dependencies of the activities; assembled in `bin/worker.ts`. */
import type { CryptoKey } from 'jose';
import type { Logger } from 'pino';
import type { SessionQuotas } from '../commands/quotas/quotas.ts';
import type { MasterKeys } from '../config/keys.ts';
import type { WorkerConfig } from '../config/worker.ts';
import type { ModelEndpoints } from '../contract/model-endpoint.ts';
import type { FrozenImage } from '../contract/session.ts';
import type { RemoteServers } from '../lib/oauth/requests.ts';
import type { OutboundContext } from '../lib/outbound/send.ts';
import type { PatternChecker } from '../lib/patterns/pattern-checker.ts';
import type { Runtime } from '../runtime/workload.ts';
import type { Pool } from '../store/database.ts';
import type { Workflows } from '../workflows/client.ts';

export interface ActivityDependencies {
  db: Pool;
  /** Of the pool's connections, those that what is about one workspace holds at a time. */
  connectionsOfWorkspace: number;
  /** Its workload specification is opaque here: the result of `render` is passed to `start`. */
  runtime: Runtime<unknown>;
  /** By name, as the operator lists them. */
  modelEndpoints: ModelEndpoints;
  /** Resolves an image reference. Throws `launch_refused` with a sentence for the operator. */
  readImage: (reference: string, workspaceId: string) => Promise<FrozenImage>;
  /** How requests to remote servers and their authorization servers are made. */
  remoteServers: RemoteServers;
  /** How messages are posted to the webhooks of channels. */
  webhooks: Omit<OutboundContext, 'signal' | 'workspaceId'>;
  workflows: Pick<
    Workflows,
    'signalServicePreview' | 'startSession' | 'signalSession' | 'signalScheduledRun'
  >;
  /** Runs the expressions of manifests off this process's event loop. */
  patterns: PatternChecker;
  masterKeys: MasterKeys;
  sessionKeySeed: Buffer;
  /** Where sidecars that are started now reach the API. */
  internalApiUrl: string;
  /** Verifies approvals; only the API has the private key. */
  approvalPublicKey: CryptoKey;
  limits: Pick<
    WorkerConfig,
    | 'WORKER_MAX_SESSIONS'
    | 'LIMIT_ARTIFACT_BYTES'
    | 'LIMIT_SESSION_ARTIFACT_BYTES'
    | 'SESSION_START_SECONDS'
    | 'SESSION_AUTHORIZATION_SECONDS'
    | 'SESSION_TOTAL_SECONDS'
    | 'SESSION_IDLE_SECONDS'
    | 'TOOL_CALL_RETENTION_FLOOR_DAYS'
    | 'CHECK_SECONDS'
    | keyof SessionQuotas
  >;
  /** Whether the Temporal namespace knows the platform's search attributes. */
  searchAttributesKnown: boolean;
  /** The same of the one that names what a workflow is about, which came later. */
  subjectAttributeKnown: boolean;
  log: Logger;
}
