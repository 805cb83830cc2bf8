/** What an agent has of a sibling beside its process: where it reaches it, and whether it waits for it. */
import * as z from 'zod';
import { commandLine } from './catalog.ts';

/** On the sibling's own loopback, where no privilege is needed. */
export const siblingPort = z.int().min(1024).max(65_535);

/** The platform's own in the network of a session: of a sidecar, and of the model. */
const portsOfPlatform: readonly number[] = [7070, 7071];

const timeoutSeconds = z.int().min(1).max(600).default(60);

/**
 * When a sibling counts as ready: its port takes a connection, or a command beside it ends
 * with 0. Asked each second.
 */
export const readiness = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('port'), timeout_seconds: timeoutSeconds }),
  z.strictObject({ type: z.literal('command'), ...commandLine, timeout_seconds: timeoutSeconds }),
]);
export type Readiness = z.infer<typeof readiness>;

export const siblingFields = {
  /** Where it listens; null: the agent does not reach it. */
  port: siblingPort.nullable().default(null),
  /** The agent starts when it is ready; null: at once. */
  ready: readiness.nullable().default(null),
};

interface Listening {
  port: number | null;
  ready: Readiness | null;
}

/** What is wrong with the port of a new sibling or with its readiness, by field. */
export function siblingProblem({ port, ready }: Listening): { path: string[]; message: string } | null {
  if (port !== null && portsOfPlatform.includes(port)) {
    return { path: ['port'], message: "is the platform's own in a session; use another one" };
  }
  return ready?.type === 'port' && port === null
    ? { path: ['ready', 'type'], message: 'needs the port that it waits for; set `port`' }
    : null;
}

/**
 * How long a session may wait for its siblings, in seconds: each has a limit of its own,
 * and they start together.
 */
export const longestReadySeconds = (siblings: readonly { ready?: Readiness | undefined }[]): number =>
  Math.max(0, ...siblings.map(({ ready }) => ready?.timeout_seconds ?? 0));

/** Where an earlier sibling has the same port: the agent reaches both on its own loopback. */
export const sharedPorts = (siblings: readonly Listening[]): number[] =>
  siblings.flatMap(({ port }, at) =>
    port !== null && siblings.findIndex((other) => other.port === port) < at ? [at] : [],
  );

/** Of the agent: where a sibling's socket is, and its address where the agent has a network of its own. */
export function siblingVariables(
  name: string,
  { socket, address }: { socket: string; address: string | null },
): Record<string, string> {
  const prefix = `SIBLING_${name.toUpperCase().replaceAll('-', '_')}`;
  return {
    [`${prefix}_SOCKET`]: socket,
    ...(address === null ? {} : { [`${prefix}_ADDRESS`]: address }),
  };
}
