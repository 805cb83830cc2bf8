/** Refuses a session that must not start, before anything of it is started. */

import { moveSession } from '../../commands/sessions/move.ts';
import { chargedPersonOf, type FrozenConfiguration } from '../../contract/session.ts';
import { type Runtime, UnsupportedWorkloadError } from '../../runtime/workload.ts';
import type { Db } from '../../store/database.ts';
import { readGrantedSecrets } from '../../store/grants/exposed-secrets.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { readCapacity } from '../../store/sessions/capacity.ts';
import { readRequestedEnding } from '../../store/sessions/ending.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import {
  attachmentConsumer,
  exposingConsumers,
  registryConsumer,
  secretVariablesOf,
} from '../secrets/consumers.ts';
import { launchPatterns, launchProblems } from './launch-problems.ts';
import { modelKeysOf } from './model-access-problems.ts';

/**
 * Throws `launch_refused` with every problem found, PatternsBusyError when it should be retried. `needsSignIn`: it has servers that its operator signs in
 * to. Idempotent: moves to `validating`, then only reads.
 */
export async function validateLaunch(
  { db, runtime, patterns, limits }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ needsSignIn: boolean }> {
  const session = await moveSession(db, sessionId, { to: 'validating', reason: null });
  await requireWanted(db, sessionId);
  await requirePlace(db, sessionId, limits.WORKER_MAX_SESSIONS);
  const configuration = await requireConfiguration(db, sessionId);
  const judge = await patterns.check(chargedPersonOf(session) ?? sessionId, launchPatterns(configuration));
  const hasOperator = session.operator_id !== null;
  const isChild = session.parent_session_id !== null;
  const facts = { ...(await readLaunchFacts(db, configuration)), judge, hasOperator, isChild };
  const problems = launchProblems(configuration, facts);
  if (problems.length > 0) {
    throw launchRefused(problems.join('; '));
  }
  renderOrRefuse(runtime, configuration);
  return { needsSignIn: configuration.servers.some(({ sign_in }) => sign_in === 'oauth') };
}

/**
 * Throws `launch_refused` when others take the places of a session, or of a preview's service. Running ones go on when a worker is lost; only new
 * ones are refused then. This worker counts, whatever it has reported.
 */
export async function requirePlace(db: Db, id: string, perWorker: number): Promise<void> {
  const { earlier, workers } = await readCapacity(db, id);
  const places = perWorker * Math.max(1, workers);
  if (earlier >= places) {
    throw launchRefused(
      `All ${places} places for sessions are taken (WORKER_MAX_SESSIONS of each worker); start it again when another session has ended`,
    );
  }
}

/** Throws `launch_refused` for a session that was asked to end before it started, such as with its parent. */
export async function requireWanted(db: Db, sessionId: string): Promise<void> {
  if ((await readRequestedEnding(db, sessionId)) !== null) {
    throw launchRefused('It was asked to end before it started');
  }
}

/** The frozen configuration; a session without one is refused. */
export async function requireConfiguration(db: Db, sessionId: string): Promise<FrozenConfiguration> {
  const configuration = await readConfiguration(db, sessionId);
  if (configuration === null) {
    throw launchRefused('The session has no frozen configuration');
  }
  return configuration;
}

/** The workload's description. Throws `launch_refused` with the driver's sentence for what it cannot run. */
export function renderOrRefuse(runtime: Runtime<unknown>, configuration: FrozenConfiguration): unknown {
  try {
    return runtime.render(configuration);
  } catch (error) {
    throw error instanceof UnsupportedWorkloadError ? launchRefused(error.message) : error;
  }
}

async function readLaunchFacts(db: Db, configuration: FrozenConfiguration) {
  const { servers } = configuration;
  const consumers = [
    ...servers.map(attachmentConsumer),
    ...servers.map(registryConsumer),
    ...exposingConsumers(configuration),
  ];
  const names = [
    ...consumers.flatMap(secretVariablesOf).map(({ secretName }) => secretName),
    ...modelKeysOf(configuration),
  ];
  const { session_id: sessionId } = configuration;
  return {
    secrets: await readKnownSecrets(db, configuration.workspace_id, [...new Set(names)]),
    exposedSecrets: await readGrantedSecrets(db, sessionId, 'agent_env'),
    modelKeys: await readGrantedSecrets(db, sessionId, 'model_key'),
  };
}
