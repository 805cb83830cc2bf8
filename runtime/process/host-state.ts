/** What a session's host records in its directory for the driver. */
import * as z from 'zod';

/** Distinguishes a process from a later one with the same id. */
export const processIdentity = z.strictObject({ pid: z.int(), startedAt: z.string() });

export const containerRecord = z.strictObject({
  name: z.string(),
  state: z.enum(['waiting', 'running', 'restarting', 'exited']),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  process: processIdentity.nullable(),
});
export type ContainerRecord = z.infer<typeof containerRecord>;

/** `state.json`, replaced as a whole with each change. */
export const hostState = z.strictObject({ started: z.boolean(), containers: z.array(containerRecord) });
export type HostState = z.infer<typeof hostState>;
