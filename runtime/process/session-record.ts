/** The record of a session in its directory: its host and its containers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuid } from '../../contract/names.ts';
import type { ContainerState, WorkloadState } from '../workload.ts';
import { type ContainerRecord, type HostState, hostState, processIdentity } from './host-state.ts';
import { sessionFiles } from './layout.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';

/** Null when the session is not here, its host was never started, or the record cannot be read. */
export function readHost(directory: string): ProcessIdentity | null {
  return readJson(sessionFiles(directory).host, (value) => processIdentity.parse(value));
}

export function readState(directory: string): HostState | null {
  return readJson(sessionFiles(directory).state, (value) => hostState.parse(value));
}

function readJson<Value>(file: string, parse: (value: unknown) => Value): Value | null {
  try {
    return parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

export function inspectSession(directory: string): WorkloadState {
  if (!existsSync(directory)) {
    return { state: 'absent' };
  }
  const host = readHost(directory);
  if (host === null || !isRunning(host)) {
    return { state: 'lost', reason: 'its session host ended' };
  }
  return { state: 'running', containers: (readState(directory)?.containers ?? []).map(presentContainer) };
}

function presentContainer({ name, state, exitCode, signal }: ContainerRecord): ContainerState {
  return state === 'exited' ? { name, state, exitCode, signal } : { name, state };
}

/** Ids of every session that has a directory here. */
export function listSessions(sessionsDirectory: string): string[] {
  const names = existsSync(sessionsDirectory) ? readdirSync(sessionsDirectory) : [];
  return names.filter((name) => uuid.safeParse(name).success);
}

export function sessionDirectory(sessionsDirectory: string, sessionId: string): string {
  return join(sessionsDirectory, uuid.parse(sessionId));
}
