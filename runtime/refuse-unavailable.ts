/**
 * What the table of `contract/available-runs.ts` rules out is refused by every renderer, in the words
 * that people read at save.
 */
import { type Availability, unavailableAgent } from '../contract/available-runs.ts';
import type { FrozenConfiguration } from '../contract/session.ts';
import { UnsupportedWorkloadError } from './workload.ts';

/** Throws UnsupportedWorkloadError when the configuration needs what is not available. */
export function refuseUnavailable(
  { agent, servers, siblings, services, service }: FrozenConfiguration,
  here: Availability,
): void {
  if (service !== undefined && agent.run.type === 'builtin') {
    throw new UnsupportedWorkloadError(
      `the service "${agent.name}": "${agent.run.name}" is an agent, which takes no requests; use a command or an image`,
    );
  }
  if (service !== undefined && servers.length + siblings.length + services.length > 0) {
    throw new UnsupportedWorkloadError(
      `the service "${agent.name}": a service has no servers and no companions`,
    );
  }
  const why = unavailableAgent({ ...agent, siblings, services }, servers, here);
  if (why !== null) {
    throw new UnsupportedWorkloadError(why);
  }
}

/** For what a renderer does not know: nothing runs because the table forgot to rule it out. */
export const notRendered = (what: string) =>
  new UnsupportedWorkloadError(`${what}: this runtime cannot run it`);
