/** The first step of every preview of a service: what it runs with. */
import { frozenServicePort, portVariable } from '../../contract/service-variables.ts';
import {
  readReportedUrl,
  readServiceDemand,
  freezeService as storeFrozen,
} from '../../store/previews/services.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { serviceConsumer, variableProblem } from '../secrets/resolve-secrets.ts';
import { shownOf } from '../workflow-owner.ts';
import { buildServiceConfiguration } from './build-service-configuration.ts';

export interface FrozenService {
  workspaceId: string;
  /** Whose agent has the service. */
  sessionId: string;
  /** From the start of its workload until its gateway listens. */
  startMs: number;
  /** Its gateway has reported where it listens, to a run that Temporal lost: it does so once. */
  hasReported: boolean;
  subject: string | null;
  searchAttributesKnown: boolean;
}

/**
 * Stores what the service will run with, out of what its session froze; the first that is stored stays. Null
 * when it is no longer wanted. Throws `launch_refused` for what cannot be asked on a port.
 */
export async function freezeService(
  dependencies: ActivityDependencies,
  { previewId }: { previewId: string },
): Promise<FrozenService | null> {
  const { db, limits } = dependencies;
  const demand = await readServiceDemand(db, previewId);
  if (demand === null || !demand.isWanted) {
    return null;
  }
  const { workspaceId, sessionId } = demand;
  const session = await readConfiguration(db, sessionId);
  const service = session?.services.find(({ name }) => name === demand.service);
  if (session === null || service === undefined) {
    throw launchRefused(`The agent has no service "${demand.service}"`);
  }
  const { port, problem } = frozenServicePort(service.env);
  if (problem !== null) {
    throw launchRefused(variableProblem(serviceConsumer(service).label, portVariable, problem));
  }
  const frozenAt = new Date().toISOString();
  const remainingSeconds = demand.remainingMs / 1000;
  const sources = { previewId, session, service, port, remainingSeconds, frozenAt };
  await storeFrozen(db, buildServiceConfiguration(sources));
  const hasReported = (await readReportedUrl(db, previewId)) !== null;
  const startMs = limits.SESSION_START_SECONDS * 1000;
  const shown = await shownOf(dependencies, 'session', sessionId);
  return { workspaceId, sessionId, startMs, hasReported, ...shown };
}
