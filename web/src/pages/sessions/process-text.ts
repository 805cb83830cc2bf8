/** Processes of a session in words. Pure. */

import { type AnswerFault, answerFaultText } from '../../../../contract/answer-fault.ts';
import { causeText, type FailureCause, notReadyWithin } from '../../../../contract/session-process.ts';
import type { SessionProcess } from '../../api/types.ts';
import type { Tone } from '../../text/tone.ts';

/** What a person can do about a server or sibling that does not work. */
export const remedyByCause: Readonly<Record<FailureCause, string>> = {
  container_not_running:
    'Its container did not start or has ended. The transcript says how; start a new session when that is fixed.',
  program_not_found: 'Check the command of its catalog entry: no such program is installed where it runs.',
  program_not_executable:
    'Check the command of its catalog entry: what it names is no program that runs there.',
  exited: 'Check its arguments and the values of its attachment. Admins can read its output for details.',
  packages_need_network:
    'Its command loads a package, and its entry has no network. Set the network of its catalog entry to "internet", or use a program that is installed.',
  packages_not_loaded:
    'Admins can read in its output what was wrong: such as packages that are too large, or that no registry of the operator has. The log of the worker says it, too.',
  package_not_found:
    'Check the name of the package in its command, and the version if it names one. A private package needs a registry that an operator sets.',
  registry_unreachable: 'Check whether sessions reach the package registry from here.',
  network_unreachable: 'Check the address that it connects to, and the network of its catalog entry.',
  handshake_timeout:
    'It may start slowly: raise the limit for its start on its catalog entry. Or it does not answer as an MCP server that speaks over its standard input and output: check its command and arguments.',
  unreadable_answer:
    'Its command runs a program that prints something else, or a server with an error in it. Admins can read its output for details.',
  not_ready_in_time: 'Check its command, its port, and when it counts as ready.',
};

/** "files did not start: its program was not found". */
export const failureText = (server: string, cause: FailureCause): string => `${server} ${causeText[cause]}`;

/** "An answer of files did not reach the agent: it is not valid JSON". */
export const answerRefusedText = (server: string, reason: AnswerFault): string =>
  `An answer of ${server} did not reach the agent: ${answerFaultText[reason]}.`;

/** "2 answers did not reach the agent: it is not valid JSON" for each reason. */
export const faultTexts = ({ faults }: Pick<SessionProcess, 'faults'>): string[] =>
  faults.map(
    ({ reason, count }) =>
      `${count === 1 ? 'One answer' : `${count} answers`} did not reach the agent: ${answerFaultText[reason]}.`,
  );

const stateWords: Readonly<Record<SessionProcess['state'], string>> = {
  not_started: 'not started',
  starting: 'starting',
  ready: 'ready',
  failed: 'failed',
  ended: 'ended',
};

export const isSibling = ({ kind }: Pick<SessionProcess, 'kind'>): boolean => kind === 'sibling';

/** An agent or a sibling answers nobody: once it was started, it runs. */
export const processStateWord = ({ kind, state }: Pick<SessionProcess, 'kind' | 'state'>): string =>
  kind !== 'server' && state === 'ready' ? 'running' : stateWords[state];

export const processStateTone = ({ state }: Pick<SessionProcess, 'state'>): Tone =>
  state === 'failed' ? 'fail' : state === 'ready' ? 'ok' : state === 'starting' ? 'run' : 'idle';

/**
 * "started 3 times, answered in 0.4 s, last ended with exit code 3", or of a sibling that it was not
 * ready within its limit; empty for one that was never started.
 */
export function processFacts(process: SessionProcess): string {
  const { starts, handshake_ms: handshakeMs } = process;
  const ending = endingText(process);
  return [
    ...(starts > 1 ? [`started ${starts} times`] : []),
    ...(handshakeMs === null ? [] : [`answered in ${(handshakeMs / 1000).toFixed(1)} s`]),
    ...(ending === null ? [] : [ending]),
  ].join(', ');
}

function endingText({ exit_code: exitCode, signal, cause, ready_limit_seconds: limit }: SessionProcess) {
  if (cause === 'not_ready_in_time') {
    return limit === null ? causeText[cause] : notReadyWithin(limit);
  }
  const how = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  return how === null ? null : `last ended with ${how}`;
}
