/** Environment of the worker process. */
import * as z from 'zod';
import { auditSync } from '../contract/audit-spool.ts';
import { withFixedLimits } from './fixed-limits.ts';
import { approvalPublicKey } from './keys.ts';
import { allModelEndpoints, modelEndpointFields, unlistedEndpoint } from './model-endpoints.ts';
import { databasePool, port } from './parse.ts';
import { privateHosts } from './private-hosts.ts';
import { runtimeConfig } from './runtime.ts';
import { sharedFields } from './shared.ts';
import { refuseHalfTls } from './temporal.ts';

const ofEveryRuntime = z
  .object({
    ...sharedFields,
    /** A quarter of it is reserved for decisions. */
    DATABASE_POOL: databasePool(8),
    APPROVAL_PUBLIC_KEY: approvalPublicKey.describe('approvals are verified with it: SPKI PEM, in base64'),
    INTERNAL_API_URL: z.url().describe("how the sidecars of this worker's sessions reach the API"),
    AUDIT_SYNC: auditSync
      .default('within-100-ms')
      .describe('when the record of a tool call is on disk: within-100-ms or each-call'),
    ...modelEndpointFields,
    PRIVATE_WEBHOOK_HOSTS: privateHosts.describe('webhooks of channels that may have a private address'),
    WORKER_MAX_SESSIONS: z.coerce
      .number()
      .int()
      .min(1)
      .max(5000)
      .default(500)
      .describe('unfinished sessions for each worker that runs: beyond it none is launched'),
    HEALTH_PORT: port
      .optional()
      .describe('port of `/alive` and `/ready`; without it the worker does not listen'),
  })
  .superRefine((config, context) => {
    refuseHalfTls(config, (variable, message) =>
      context.addIssue({ code: 'custom', path: [variable], message }),
    );
    for (const { name, base_url } of allModelEndpoints(config).values()) {
      const unlisted = unlistedEndpoint(base_url, config.PRIVATE_MCP_HOSTS);
      if (unlisted !== null) {
        const variable = config.MODEL_ENDPOINTS.has(name) ? 'MODEL_ENDPOINTS' : 'MODEL_BASE_URL';
        const message = variable === 'MODEL_ENDPOINTS' ? `"${name}": base_url ${unlisted}` : unlisted;
        context.addIssue({ code: 'custom', path: [variable], message });
      }
    }
  });

export const workerConfig = z
  .preprocess(
    (environment) =>
      environment !== null && typeof environment === 'object'
        ? { RUNTIME: 'process', ...environment }
        : environment,
    z.intersection(ofEveryRuntime, runtimeConfig),
  )
  .transform((parsed) => withFixedLimits(parsed));
/** What it reads whatever its runtime. */
export const workerShape = ofEveryRuntime.shape;
export type WorkerConfig = z.infer<typeof workerConfig>;
