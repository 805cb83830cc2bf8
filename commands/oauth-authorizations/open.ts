import { authorizationPage } from '../../contract/authorization.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockRegistration } from '../../store/mcp-registrations/read.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';
import {
  insertAuthorization,
  lockPending,
  widenAuthorization,
} from '../../store/oauth-authorizations/change.ts';
import { countStepUps } from '../../store/oauth-authorizations/read.ts';
import { readConnection, readLastRefusal } from '../../store/oauth-connections/read.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { lockSession } from '../../store/sessions/status.ts';
import { bindingOf, isBoundTo } from '../oauth-connections/binding.ts';

/** A server may ask for more and more, and each time a person decides: after so many times in a session they are left alone. */
export const maxStepUps = 3;
/** In one sign-in, as in one question of a server. */
const maxScopes = 100;

export interface NeededSignIn {
  registrationId: string;
  userId: string;
  /** All that the server is asked for. */
  scopes: readonly string[];
  /** Those that it asked for in the middle of a call; null for a sign-in without such a call. */
  missingScopes: readonly string[] | null;
  expirySeconds: number;
}

/** `over`: the session has ended, or the entry was removed. `asked_enough`: the server has asked too often, or for too much. */
export type OpenedAuthorization = { result: 'opened'; id: string } | { result: 'over' | 'asked_enough' };

/** A way for the person to sign in: the pending one, or a new one, with the session's event that leads to it. */
export function openAuthorization(
  db: Db,
  session: Pick<Session, 'id'> | null,
  needed: NeededSignIn,
): Promise<OpenedAuthorization> {
  const { registrationId, userId } = needed;
  return inTransaction(db, async (trx): Promise<OpenedAuthorization> => {
    const waiting = session && (await lockSession(trx, session.id));
    const registration = await lockRegistration(trx, registrationId);
    const isOver = session !== null && (waiting === null || isTerminal(waiting.status));
    if (isOver || registration === null || registration.mcp_server_id === null) {
      return { result: 'over' };
    }
    const key = { user_id: userId, registration_id: registrationId, session_id: session?.id ?? null };
    const pending = await lockPending(trx, key);
    const asked = pending ?? nothing;
    const held = await heldScopes(trx, registration, userId);
    const all = together(asked, { ...needed, scopes: union(held, needed.scopes) });
    if (pending !== null && !isMore(all, asked)) {
      return { result: 'opened', id: pending.id };
    }
    if (needed.missingScopes !== null && (await isAskedEnough(trx, session, { registrationId, all }))) {
      return { result: 'asked_enough' };
    }
    if (pending !== null) {
      await widenAuthorization(trx, pending.id, all);
      return { result: 'opened', id: pending.id };
    }
    const { workspace_id } = registration;
    const problem = await readLastRefusal(trx, key);
    const id = await insertAuthorization(
      trx,
      { ...key, workspace_id, ...all, problem },
      needed.expirySeconds,
    );
    await announce(trx, session, { id, server: registration.entry_name });
    return { result: 'opened', id };
  });
}

/** What the person has allowed there: a sign-in that replaces theirs asks for nothing less. */
async function heldScopes(
  trx: Transaction,
  registration: RegistrationRow,
  userId: string,
): Promise<readonly string[]> {
  const connection = await readConnection(trx, { registrationId: registration.id, userId });
  if (connection === null) {
    return [];
  }
  const found = await bindingOf(trx, registration);
  return found.kind === 'bound' && isBoundTo(connection, found.binding) ? connection.requested_scopes : [];
}

/** Counted under the session's lock: calls that are refused at the same time count one after the other. */
async function isAskedEnough(
  trx: Transaction,
  session: Pick<Session, 'id'> | null,
  { registrationId, all }: { registrationId: string; all: Asked },
): Promise<boolean> {
  return (
    all.scopes.length > maxScopes ||
    (session !== null && (await countStepUps(trx, { sessionId: session.id, registrationId })) >= maxStepUps)
  );
}

async function announce(
  trx: Transaction,
  session: Pick<Session, 'id'> | null,
  { id, server }: { id: string; server: string },
): Promise<void> {
  if (session !== null) {
    await appendSessionEvent(trx, session.id, {
      id: derivedId(id, 'authorization_required'),
      type: 'session.authorization_required',
      actor: systemActor,
      payload: { server, url: authorizationPage(id) },
    });
  }
}

type Asked = { scopes: string[]; missing_scopes: string[] | null; step_ups: number };
const nothing: Asked = { scopes: [], missing_scopes: null, step_ups: 0 };

const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];

/** What is asked for already, and what is needed now. */
const together = (asked: Asked, { scopes, missingScopes }: NeededSignIn): Asked => ({
  scopes: union(asked.scopes, scopes),
  missing_scopes:
    missingScopes === null ? asked.missing_scopes : union(asked.missing_scopes ?? [], missingScopes),
  step_ups: asked.step_ups + (missingScopes === null ? 0 : 1),
});

const isMore = (all: Asked, asked: Asked): boolean =>
  all.scopes.length > asked.scopes.length ||
  (all.missing_scopes?.length ?? 0) > (asked.missing_scopes?.length ?? 0);
