/** Pure: how an agent reaches its siblings and waits for them, on every runtime. */
import { agentPaths } from '../contract/agent-paths.ts';
import { reportSocketName } from '../contract/process-reports.ts';
import type { FrozenSibling } from '../contract/session.ts';
import { siblingVariables } from '../contract/sibling.ts';
import { siblingSocketName } from '../contract/sibling-socket-name.ts';
import type { SiblingAccess } from '../contract/sidecar.ts';

export type SiblingSettings = Pick<FrozenSibling, 'name' | 'port' | 'ready'>;

/** What the sidecar does for them; empty when it does nothing. */
export const siblingAccessOf = (siblings: readonly SiblingSettings[]): SiblingAccess[] =>
  siblings
    .filter(({ port, ready }) => port !== undefined || ready !== undefined)
    .map(({ name, port, ready }) => ({
      name,
      listens: port !== undefined,
      ready_seconds: ready?.timeout_seconds ?? null,
    }));

const socketOf = (name: string) => `${agentPaths.siblingDirectory}/${name}.sock`;

/**
 * Of `relay run` of an agent that has a network of its own: its siblings are at the
 * same ports of its loopback.
 */
export const listenForSiblings = (siblings: readonly SiblingSettings[]): string[] =>
  siblings.flatMap(({ name, port }) => (port === undefined ? [] : ['--listen', `${port}=${socketOf(name)}`]));

/** What the agent is told. */
export const siblingsEnvironment = (
  siblings: readonly SiblingSettings[],
  isOnLoopback: boolean,
): Record<string, string> =>
  Object.assign(
    {},
    ...siblings.map(({ name, port }) =>
      port === undefined
        ? {}
        : siblingVariables(name, {
            socket: socketOf(name),
            address: isOnLoopback ? `127.0.0.1:${port}` : null,
          }),
    ),
  );

/** Of `relay run` of a sibling, which sees its sockets in this directory. */
export function siblingRelay({ port, ready }: SiblingSettings, directory: string): string[] {
  const dialed =
    port === undefined ? [] : ['--dial', `${directory}/${siblingSocketName}`, '--port', String(port)];
  return [...dialed, ...readyArguments(port, ready)];
}

/** Of an agent or sibling, or beside a server's own socket. */
export const reportSocketIn = (directory: string) => `${directory}/${reportSocketName}`;

function readyArguments(port: SiblingSettings['port'], ready: SiblingSettings['ready']): string[] {
  switch (ready?.type) {
    case undefined:
      return [];
    case 'port':
      return port === undefined ? [] : ['--ready-port', String(port)];
    case 'command':
      return [ready.command, ...ready.args].flatMap((each) => ['--ready-argument', each]);
  }
}
