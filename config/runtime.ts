/** Which runtime a worker's sessions run on, and what that runtime needs to know. */
import * as z from 'zod';
import { containerEngineFields } from './container-engine.ts';
import { containerFields } from './containers.ts';
import { kubernetesFields } from './kubernetes.ts';
import { packageFields, refuseStrayTokens } from './packages.ts';
import { count, countOrNone, flag } from './parse.ts';

const mebibyte = 1024 * 1024;

const processFields = {
  /** Where the process runtime keeps what running sessions need. */
  SESSIONS_DIR: z.string(),
  /** Programs of `command` servers: its `node_modules/.bin` is on the PATH inside the sandbox. */
  RUNNER_DIR: z.string(),
  /** Where what the agent `claude` loads is installed: a copy of agents/claude with its node_modules. */
  CLAUDE_DIR: z.string().optional(),
  /** `auto` uses bubblewrap when it works here; `require` refuses to start without it; `off` is for development only. */
  SANDBOX: z.enum(['auto', 'require', 'off']).default('auto'),
  /** For each agent and each MCP server. Includes what it writes to /workspace, /tmp and /dev/shm, which is in memory. */
  AGENT_MEMORY_BYTES: count(1024 * mebibyte),
  AGENT_CPU_MILLIS: count(1000),
  SERVER_MEMORY_BYTES: count(512 * mebibyte),
  SERVER_CPU_MILLIS: count(1000),
  SANDBOX_PROCESSES: count(512),
  WORKSPACE_BYTES: count(256 * mebibyte),
  /** Hosts of sessions that are started before a session needs them; with its sidecar each holds some 25 MiB. */
  WARM_HOSTS: countOrNone(1),
  ...packageFields,
  /** Lets agents other than `scripted` and servers other than seeded ones run without a sandbox. */
  ALLOW_UNSANDBOXED: flag.default(false),
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
