/** Processes of a session in words. Pure. */
import { causeText, type FailureCause } from '../../../../contract/session-process.ts';
import type { SessionProcess } from '../../api/types.ts';

/** What a person can do about a server that does not work. */
export const remedyByCause: Readonly<Record<FailureCause, string>> = {
  container_not_running:
    'Its container did not start or has ended. The transcript says how; start a new session when that is fixed.',
  program_not_found: 'Check the command of its catalog entry: no such program is installed where it runs.',
  program_not_executable:
    'Check the command of its catalog entry: what it names is no program that runs there.',
  exited: 'Check its arguments and the values of its attachment. Admins can read its output for details.',
  packages_need_network:
    'Its command loads a package, and its entry has no network. Set the network of its catalog entry to "internet", or use a program that is installed.',
  package_not_found:
    'Check the name of the package in its command, and the version if it names one. A private package needs a registry that an operator sets.',
  registry_unreachable: 'Check whether sessions reach the package registry from here.',
  network_unreachable: 'Check the address that it connects to, and the network of its catalog entry.',
  handshake_timeout:
    'It runs, but does not answer as an MCP server that speaks over its standard input and output. Check its command and arguments.',
};

/** "files did not start: its program was not found". */
export const failureText = (server: string, cause: FailureCause): string => `${server} ${causeText[cause]}`;

const stateWords: Readonly<Record<SessionProcess['state'], string>> = {
  not_started: 'not started',
  starting: 'starting',
  ready: 'ready',
  failed: 'failed',
  ended: 'ended',
};

/** An agent or a sibling answers nobody: once it was started, it runs. */
export const processStateWord = ({ kind, state }: Pick<SessionProcess, 'kind' | 'state'>): string =>
  kind !== 'server' && state === 'ready' ? 'running' : stateWords[state];

export const processStateColor = ({ state }: Pick<SessionProcess, 'state'>): string =>
  state === 'failed' ? 'red' : state === 'ready' ? 'green' : state === 'starting' ? 'blue' : 'gray';

/** "started 3 times, answered after 420 ms, last ended with exit code 3"; empty for one that was never started. */
export function processFacts(process: SessionProcess): string {
  const { starts, handshake_ms: handshakeMs, exit_code: exitCode, signal } = process;
  const ending = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  return [
    ...(starts > 1 ? [`started ${starts} times`] : []),
    ...(handshakeMs === null ? [] : [`answered after ${handshakeMs} ms`]),
    ...(ending === null ? [] : [`last ended with ${ending}`]),
  ].join(', ');
}
