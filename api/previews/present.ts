import type { Preview, ShownPreview } from '../../contract/preview.ts';
import type { Db } from '../../store/database.ts';
import { readServiceStatuses } from '../../store/previews/services.ts';
import { readSessionContexts } from '../../store/sessions/context.ts';
import { whyNotEndPreview } from '../policies/previews.ts';
import { whyNotReadSession } from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';
import { isLive } from './open.ts';

/** As the visitor reads them. Leaves out those whose session was removed meanwhile. */
export async function presentPreviews(
  db: Db,
  { user, role }: InWorkspace,
  previews: readonly Preview[],
): Promise<ShownPreview[]> {
  const contexts = await readSessionContexts(
    db,
    previews.map(({ session_id }) => session_id),
  );
  const ofServices = previews.flatMap(({ id, service }) => (service === null ? [] : [id]));
  const statuses = await readServiceStatuses(db, ofServices);
  return previews.flatMap(({ workspace_id: _, ...shown }) => {
    const context = contexts.get(shown.session_id);
    if (context === undefined) {
      return [];
    }
    const people = {
      operator_id: context.operator?.id ?? null,
      root_operator_id: context.rootOperator?.id ?? null,
      schedule_maker_id: context.scheduleMaker?.id ?? null,
    };
    const visitor = { userId: user.id, role };
    const live = isLive(shown);
    const mayRead = whyNotReadSession(visitor, people, context.isShared) === null;
    return [
      {
        ...shown,
        agent: context.agent,
        service_status: statuses.get(shown.id) ?? null,
        is_live: live,
        may_end: live && whyNotEndPreview(visitor, people) === null,
        may_read_session: mayRead,
        session_ended: mayRead ? context.hasEnded : null,
      },
    ];
  });
}
