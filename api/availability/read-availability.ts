import type { ApiConfig } from '../../config/api.ts';
import { type Availability, availabilityOf } from '../../contract/available-runs.ts';
import type { Db } from '../../store/database.ts';
import { listWorkers } from '../../store/workers/workers.ts';

/** What can run here now, according to the configuration and the running workers. */
export async function readAvailability(db: Db, config: Pick<ApiConfig, 'RUNTIME'>): Promise<Availability> {
  const workers = (await listWorkers(db)).filter(({ is_running }) => is_running);
  return availabilityOf(
    config.RUNTIME,
    workers.map(({ capabilities }) => capabilities),
  );
}
