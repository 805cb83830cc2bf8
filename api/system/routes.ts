import * as z from 'zod';
import { availability, runtimeName } from '../../contract/available-runs.ts';
import { readServerVersion } from '../../store/server-state.ts';
import { knownWorker, listWorkers } from '../../store/workers/workers.ts';
import { readAvailability } from '../availability.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { WorkflowClient } from '../workflow-client.ts';

type SystemDependencies = Pick<ApiDependencies, 'db' | 'config'> & {
  workflows: Pick<WorkflowClient, 'isReachable'>;
};

/** What runs, so that an admin can find out why something does not. Reveals no host and no address. */
export const systemState = z.strictObject({
  runtime: runtimeName,
  database: z.strictObject({ version: z.string() }),
  temporal: z.strictObject({ is_reachable: z.boolean() }),
  workers: z.array(knownWorker),
  registries: z.strictObject({
    /** How many registries with a private address, or without TLS, the operator allows. */
    private_count: z.int().nonnegative(),
  }),
  availability,
});

export function systemRoutes(dependencies: SystemDependencies): AnyRoute[] {
  const { db, config, workflows } = dependencies;
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/availability',
      summary: 'What agents and MCP servers can be here, and why not the rest',
      scope: 'workspace',
      access: anyMember,
      response: z.strictObject({ availability }),
      handler: async () => ({ availability: await readAvailability(db, config) }),
    }),
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/system',
      summary: 'What the platform runs on: workers, Temporal, runtime and what they lack; for admins',
      scope: 'workspace',
      access: admins('system.read'),
      response: z.strictObject({ system: systemState }),
      async handler() {
        const [workers, here, isReachable, version] = await Promise.all([
          listWorkers(db),
          readAvailability(db, config),
          workflows.isReachable(),
          readServerVersion(db),
        ]);
        return {
          system: {
            runtime: config.RUNTIME,
            database: { version },
            temporal: { is_reachable: isReachable },
            workers,
            registries: { private_count: config.PRIVATE_REGISTRIES.size },
            availability: here,
          },
        };
      },
    }),
  ];
}
