/** The only argument of the program in a sandbox that loads packages. Holds no secret. */
import * as z from 'zod';

export const fillOrder = z.strictObject({
  manager: z.enum(['npm', 'uv']),
  packages: z.array(z.string()).min(1),
  program: z.string().nullable(),
  python: z.string().nullable(),
});
export type FillOrder = z.infer<typeof fillOrder>;

/** Both are in the sandbox's own directory. */
export const fillSockets = {
  directory: '/run/platform/mcp',
  registry: 'registry.sock',
  result: 'result.sock',
};
/** Where package managers find the platform's proxy: a port of the sandbox's own loopback. */
export const registryPort = 4873;
