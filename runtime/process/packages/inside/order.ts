/** The only argument of the program in a sandbox that loads packages. Holds no secret. */
import * as z from 'zod';

export const fillOrder = z.strictObject({
  manager: z.enum(['npm', 'uv']),
  packages: z.array(z.string()).min(1),
  program: z.string().nullable(),
  python: z.string().nullable(),
});
export type FillOrder = z.infer<typeof fillOrder>;

/**
 * The variable of that program with the variables of the package manager, as JSON: a shell would drop
 * names such as npm's for credentials. They hold the registry's credential, so nothing but the
 * package manager gets them.
 */
export const managerVariablesName = 'PACKAGE_MANAGER_VARIABLES';
export const managerVariables = z.record(z.string(), z.string());

/** Both are in the sandbox's own directory. */
export const fillSockets = {
  directory: '/run/platform/mcp',
  egress: 'egress.sock',
  result: 'result.sock',
};
/** Where package managers find the way out: a port of the sandbox's own loopback. */
export const egressPort = 4873;
