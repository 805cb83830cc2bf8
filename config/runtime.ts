/** Which runtime a worker's sessions run on, and what that runtime needs to know. */
import * as z from 'zod';
import { containerEngineFields } from './container-engine.ts';
import { containerFields, sizeFields, workspaceBytes } from './containers.ts';
import { kubernetesFields } from './kubernetes.ts';
import { packageFields, refuseStrayTokens } from './packages.ts';

const mebibyte = 1024 * 1024;

export const processFields = {
  SESSIONS_DIR: z.string().describe('where the process runtime keeps what running sessions need'),
  SANDBOX: z
    .enum(['auto', 'require', 'off'])
    .default('auto')
    .describe('auto: bubblewrap where it works; require: no start without it; off: for development only'),
  ...sizeFields,
  WORKSPACE_BYTES: workspaceBytes(256 * mebibyte),
  ...packageFields,
} as const;

/** Fields of runtimes other than the selected one are ignored. */
export const runtimeConfig = z.discriminatedUnion('RUNTIME', [
  z
    .object({ RUNTIME: z.literal('process'), ...processFields })
    .superRefine((config, context) =>
      refuseStrayTokens(config, (variable, message) =>
        context.addIssue({ code: 'custom', path: [variable], message }),
      ),
    ),
  z.object({ RUNTIME: z.literal('container'), ...containerFields, ...containerEngineFields }),
  z.object({ RUNTIME: z.literal('kubernetes'), ...containerFields, ...kubernetesFields }),
]);
