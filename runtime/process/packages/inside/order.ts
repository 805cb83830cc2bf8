/** What the program in a sandbox that loads packages is told, as its one argument. It holds no secret. */
import { z } from 'zod';

export const fillOrder = z.strictObject({
  manager: z.enum(['npm', 'uv']),
  packages: z.array(z.string()).min(1),
  program: z.string().nullable(),
  python: z.string().nullable(),
});
export type FillOrder = z.infer<typeof fillOrder>;

/** Beside each other in the directory that the sandbox sees as its own. */
export const fillSockets = {
  directory: '/run/platform/mcp',
  registry: 'registry.sock',
  result: 'result.sock',
};
/** Where package managers find the platform's proxy: a port of the sandbox's own loopback. */
export const registryPort = 4873;
