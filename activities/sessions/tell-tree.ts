import { sessionSignals } from '../../contract/workflows.ts';
import { listUnfinishedChildren, readParentId } from '../../store/sessions/children.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Tells the workflows of the sessions below one that has ended to end theirs, and its parent's that a message waits. Nobody waits for it, nor for a
 * Temporal that does not answer: what is not told is told by the next sweep, from the rows.
 */
export async function tellTree(
  { db, workflows, log }: Pick<ActivityDependencies, 'db' | 'workflows' | 'log'>,
  sessionId: string,
): Promise<void> {
  const tell = (id: string, signal: keyof typeof sessionSignals) =>
    void workflows
      .signalSession(id, signal)
      .catch((err: unknown) =>
        log.warn({ err, session_id: id }, 'the session is told later of the end of another'),
      );
  for (const childId of await listUnfinishedChildren(db, sessionId)) {
    tell(childId, sessionSignals.terminate);
  }
  const parentId = await readParentId(db, sessionId);
  if (parentId !== null) {
    tell(parentId, sessionSignals.inputAvailable);
  }
}
