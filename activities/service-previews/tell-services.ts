import { serviceSignals } from '../../contract/workflows.ts';
import { listUnfinishedServicesOfSession } from '../../store/previews/services.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Tells the workflows of a session's services that it has ended. Nobody waits for it, nor for a Temporal that
 * does not answer: what is not told is noticed by the next look of each.
 */
export async function tellServices(
  { db, workflows, log }: Pick<ActivityDependencies, 'db' | 'workflows' | 'log'>,
  sessionId: string,
): Promise<void> {
  for (const previewId of await listUnfinishedServicesOfSession(db, sessionId)) {
    void workflows
      .signalServicePreview(previewId, serviceSignals.serviceChanged)
      .catch((err: unknown) =>
        log.warn({ err, previewId }, 'the service notices later that its session ended'),
      );
  }
}
