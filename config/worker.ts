/** Environment of the worker process. */
import * as z from 'zod';
import { auditSync } from '../contract/audit-spool.ts';
import { approvalPublicKey, masterKeys, sessionKeySeed } from './keys.ts';
import { limitFields } from './limits.ts';
import { modelBaseUrl, unlistedEndpoint } from './model-base-url.ts';
import { databaseUrl, logLevel, port } from './parse.ts';
import { privateHosts } from './private-hosts.ts';
import { registryRealms } from './registries.ts';
import { runtimeConfig } from './runtime.ts';
import { refuseHalfTls, temporalFields } from './temporal.ts';

const ofEveryRuntime = z
  .object({
    DATABASE_URL: databaseUrl,
    /** A quarter of it is reserved for decisions. */
    DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(8),
    ...temporalFields,
    MASTER_KEYS: masterKeys,
    SESSION_KEY_SEED: sessionKeySeed,
    APPROVAL_PUBLIC_KEY: approvalPublicKey,
    /** How the sidecars of this worker's sessions reach the API. */
    INTERNAL_API_URL: z.url(),
    /** When the record of a tool call is on disk (docs/audit.md). */
    AUDIT_SYNC: auditSync.default('within-100-ms'),
    /** As for the API: registries of the images that agents run. */
    PRIVATE_REGISTRIES: privateHosts,
    REGISTRY_REALMS: registryRealms,
    /** As for the API. */
    PRIVATE_MCP_HOSTS: privateHosts,
    /** Where the model programs of sessions ask for answers: `<this>/v1/messages`. One with a private address is listed in PRIVATE_MCP_HOSTS. */
    MODEL_BASE_URL: modelBaseUrl,
    /** Webhooks of channels that may have a private address; never a metadata service. */
    PRIVATE_WEBHOOK_HOSTS: privateHosts,
    /** Unfinished sessions for each worker that runs: with more of them no further one is launched. */
    WORKER_MAX_SESSIONS: z.coerce.number().int().min(1).max(5000).default(500),
    /** Human decisions that one worker carries out concurrently. */
    WORKER_MAX_DECISIONS: z.coerce.number().int().min(1).max(1000).default(20),
    /** Port of the health probes (`/alive`, `/ready`); without it the worker does not listen. */
    HEALTH_HOST: z.string().default('127.0.0.1'),
    HEALTH_PORT: port.optional(),
    NODE_ENV: z.string().optional(),
    LOG_LEVEL: logLevel,
    ...limitFields,
  })
  .superRefine((config, context) => {
    refuseHalfTls(config, (variable, message) =>
      context.addIssue({ code: 'custom', path: [variable], message }),
    );
    const unlisted = unlistedEndpoint(config.MODEL_BASE_URL, config.PRIVATE_MCP_HOSTS);
    if (unlisted !== null) {
      context.addIssue({ code: 'custom', path: ['MODEL_BASE_URL'], message: unlisted });
    }
  });

export const workerConfig = z.preprocess(
  (environment) =>
    environment !== null && typeof environment === 'object'
      ? { RUNTIME: 'process', ...environment }
      : environment,
  z.intersection(ofEveryRuntime, runtimeConfig),
);
/** Every variable that a worker reads, whatever its runtime. */
export const workerVariables: string[] = [ofEveryRuntime, ...runtimeConfig.options].flatMap(({ shape }) =>
  Object.keys(shape),
);
export type WorkerConfig = z.infer<typeof workerConfig>;
