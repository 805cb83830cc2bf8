/** Sessions as people read them: with names, what the caller may do, and where to look in Temporal. */
import * as z from 'zod';
import type { ApiConfig } from '../../config/api.ts';
import { named, uuid } from '../../contract/names.ts';
import { isTerminal, type Session, session, sessionWait } from '../../contract/session.ts';
import { sessionWorkflowId } from '../../contract/workflows.ts';
import type { Db } from '../../store/database.ts';
import { readSessionContexts } from '../../store/sessions/context.ts';
import { readLineages } from '../../store/sessions/tree.ts';
import { notFound } from '../errors.ts';
import {
  readableMembers,
  whyNotChangeSession,
  whyNotEndSession,
  whyNotMessageSession,
} from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';

export const shownSession = session.extend({
  /** What people named it, else the first line of its prompt: those words may be an agent's. */
  title: z.string(),
  agent: named,
  operator: named.nullable(),
  root_operator: named.nullable(),
  /** Of the session that started it; null for a session that none did. */
  parent_agent: named.nullable(),
  /** What the session that started it called it: an agent's words. */
  label: z.string().nullable(),
  /** The schedule that started it, unless that was removed, and who had made it. */
  schedule: named.nullable(),
  schedule_maker: named.nullable(),
  /** Its permission requests are refused at once, and those of the sessions below it. */
  permission_requests_muted: z.boolean(),
  /** Who it waits for; null when nobody. */
  waiting_for: sessionWait.nullable(),
  /** What its requests to a language model took that are over; null where it made none. */
  model_tokens: z.int().nullable(),
  /** What the caller may do now; false once the session has ended, but where it says so. */
  may_message: z.boolean(),
  may_terminate: z.boolean(),
  may_mute: z.boolean(),
  /** Also once it has ended. */
  may_rename: z.boolean(),
  /** The session's workflow; `url` is its page in the Temporal UI where the platform knows one. */
  workflow: z.strictObject({ id: z.string(), url: z.url().nullable() }),
});
export type ShownSession = z.infer<typeof shownSession>;

/** One session on its own, with those above it that the caller may read, the root first. */
export const sessionWithAncestors = shownSession.extend({
  ancestors: z.array(z.strictObject({ id: uuid, agent: named, label: z.string().nullable() })),
});

type Visit = Pick<InWorkspace, 'user' | 'role'>;
type TemporalUi = Pick<ApiConfig, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>;

interface Dependencies {
  db: Db;
  config: TemporalUi;
}

/** Keeps the order given; omits sessions that were removed meanwhile. */
export async function presentSessions(
  { db, config }: Dependencies,
  { user, role }: Visit,
  sessions: readonly Session[],
): Promise<ShownSession[]> {
  const visitor = { userId: user.id, role };
  const contexts = await readSessionContexts(
    db,
    sessions.map(({ id }) => id),
  );
  return sessions.flatMap((session) => {
    const found = contexts.get(session.id);
    const goesOn = !isTerminal(session.status);
    return found === undefined
      ? []
      : [
          {
            ...session,
            title: found.title,
            agent: found.agent,
            operator: found.operator,
            root_operator: found.rootOperator,
            parent_agent: found.parentAgent,
            label: found.label,
            schedule: found.schedule,
            schedule_maker: found.scheduleMaker,
            permission_requests_muted: found.requestsMuted,
            waiting_for: found.waitingFor,
            model_tokens: found.modelTokens,
            may_message: goesOn && whyNotMessageSession(visitor, session) === null,
            may_terminate: goesOn && whyNotEndSession(visitor, session) === null,
            may_mute: goesOn && whyNotChangeSession(visitor, session) === null,
            may_rename: whyNotChangeSession(visitor, session) === null,
            workflow: workflowOf(session.id, config),
          },
        ];
  });
}

/** Throws 404 when the session was removed meanwhile. */
export async function presentSession(
  dependencies: Dependencies,
  visit: Visit,
  session: Session,
): Promise<z.infer<typeof sessionWithAncestors>> {
  const [shown] = await presentSessions(dependencies, visit, [session]);
  if (shown === undefined) {
    throw notFound('The session');
  }
  const lineage = (await readLineages(dependencies.db, [session.id])).get(session.id) ?? [];
  const above = readableMembers(visit, lineage).filter(({ id }) => id !== session.id);
  return { ...shown, ancestors: above.map(({ id, agent, label }) => ({ id, agent, label })) };
}

function workflowOf(sessionId: string, { TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace }: TemporalUi) {
  const id = sessionWorkflowId(sessionId);
  const path = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
  return { id, url: ui === undefined ? null : `${ui.replace(/\/+$/, '')}/${path}` };
}
