import { unavailableRun } from '../../../../contract/available-runs.ts';
import type { Agent } from '../../api/types.ts';
import { useAvailability } from '../../api/use-availability.ts';

/** Why sessions of an agent cannot start here, as far as the agent itself decides that; null when they can. */
export function useUnavailable(): (agent: Pick<Agent, 'run' | 'siblings' | 'services'>) => string | null {
  const here = useAvailability();
  return ({ run, siblings, services }) => {
    if (here === undefined) {
      return null;
    }
    const companions = siblings.length + services.length > 0 ? here.companions : null;
    return unavailableRun(run, here) ?? companions;
  };
}
