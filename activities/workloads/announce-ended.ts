/**
 * Announces MCP servers and siblings that ended by themselves in the session's events; the
 * session continues without them.
 */
import { systemActor } from '../../contract/session-event.ts';
import type { ContainerState, WorkloadState } from '../../runtime/workload.ts';
import type { Db } from '../../store/database.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';

type Exited = Extract<ContainerState, { state: 'exited' }>;

/** Longer than a workload that is being stopped takes to end its containers, one after the other. */
export const confirmMs = 20_000;

/** Companions that ended while the sidecar runs: without it the others are ended too. */
export function endedCompanions(state: WorkloadState): Exited[] {
  return stateOf(state, 'sidecar') === 'running' && state.state === 'running'
    ? state.containers.filter((each) => each.state === 'exited').filter(({ name }) => titleOf(name) !== null)
    : [];
}

/**
 * Those that count as ended by themselves once that lasts: while the agent runs too, the
 * session is not being ended.
 */
export function endedBesideAgent(state: WorkloadState): Exited[] {
  return stateOf(state, 'agent') === 'running' ? endedCompanions(state) : [];
}

/**
 * Appends one event for each, whose id follows from the session and the container: it is written
 * once, whoever announces it.
 */
export async function announceEnded(db: Db, sessionId: string, ended: readonly Exited[]): Promise<void> {
  for (const container of ended) {
    await appendSessionEvent(db, sessionId, {
      id: derivedId(sessionId, 'container_ended', container.name),
      type: 'platform.notice',
      actor: systemActor,
      payload: { code: 'container_ended', message: sentenceOf(container) },
    });
  }
}

const stateOf = (state: WorkloadState, name: string) =>
  state.state === 'running' ? state.containers.find((each) => each.name === name)?.state : undefined;

/** Display name; null when not a companion. */
function titleOf(container: string): string | null {
  if (container === 'model') {
    return 'The program that asks the language model';
  }
  const [, kind, name] = /^(mcp|sibling)-(.*)$/.exec(container) ?? [];
  return kind === undefined ? null : `The ${kind === 'mcp' ? 'MCP server' : 'sibling'} "${name}"`;
}

/** Exit code, signal or the runtime's reason; never what the container wrote. */
function sentenceOf({ name, exitCode, signal, reason }: Exited): string {
  const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`;
  const said = reason === undefined ? how : `was ended: ${reason}`;
  return `${titleOf(name)} ${said}`;
}
