/**
 * One attempt to register a remote server: whether there is something to do, what its steps share, its first
 * step, which finds out how people sign in there, and how it fails.
 */
import { Context } from '@temporalio/activity';
import { settleAttempt } from '../../commands/mcp-registrations/registrations.ts';
import {
  partiesOf,
  type StoredSignInServer,
  sameParties,
  signInServer,
} from '../../contract/mcp-registration.ts';
import type { RegistrationOutcome } from '../../contract/workflows.ts';
import { discoverRemoteServer } from '../../lib/oauth/discover.ts';
import { OAuthDiscoveryError, quote } from '../../lib/oauth/errors.ts';
import type { OAuthContext } from '../../lib/oauth/requests.ts';
import {
  keepFoundServer,
  type RegistrationRow,
  readRegistration,
  type Settlement,
} from '../../store/mcp-registrations/registrations.ts';
import { listRetiredClients } from '../../store/oauth-clients/clients.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { registrationRefused, registrationRefusedForNow } from '../failures.ts';
import { type Shown, shownOf } from '../workflow-owner.ts';
import { inShare } from '../workspace-share.ts';

export type RegistrationTask =
  /** An attempt to carry out. */
  | ({ kind: 'register'; revision: number; workspaceId: string } & Shown)
  /** Its entry was removed, or is no remote server any more. */
  | { kind: 'remove' }
  /** It has clients out of use, which are to be deleted at their servers. */
  | { kind: 'delete_clients' }
  | { kind: 'nothing' };

export async function readRegistrationTask(
  dependencies: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<RegistrationTask> {
  const registration = await readRegistration(dependencies.db, registrationId);
  if (registration === null) {
    return { kind: 'nothing' };
  }
  const { mcp_server_id: entryId, status, revision, workspace_id: workspaceId } = registration;
  if (entryId === null) {
    return { kind: 'remove' };
  }
  if (status === 'pending') {
    const shown = await shownOf(dependencies, 'registration', registrationId);
    return { kind: 'register', revision, workspaceId, ...shown };
  }
  const retired = await listRetiredClients(dependencies.db, registrationId);
  return { kind: retired.length > 0 ? 'delete_clients' : 'nothing' };
}

export interface AttemptInput {
  registrationId: string;
  revision: number;
}

/** Null when this attempt is over: another has begun, it has ended, or the registration is gone. */
export async function readAttempt(
  { db }: Pick<ActivityDependencies, 'db'>,
  { registrationId, revision }: AttemptInput,
): Promise<RegistrationRow | null> {
  const registration = await readRegistration(db, registrationId);
  return registration?.revision === revision && registration.status === 'pending' ? registration : null;
}

/** The state of the registration after an attempt. */
export async function readOutcome(
  { db }: Pick<ActivityDependencies, 'db'>,
  { registrationId }: AttemptInput,
): Promise<RegistrationOutcome> {
  const registration = await readRegistration(db, registrationId);
  return registration === null
    ? { status: 'removed', reason: null }
    : { status: registration.status, reason: registration.reason ?? registration.unreached_reason };
}

/** Requests end with the activity. */
export const requestContext = (
  { remoteServers }: Pick<ActivityDependencies, 'remoteServers'>,
  { workspace_id: workspaceId }: Pick<RegistrationRow, 'workspace_id'>,
): OAuthContext => ({
  ...remoteServers,
  workspaceId,
  signal: Context.current().cancellationSignal,
});

/**
 * Asks the servers that an entry names, which may take their time. Throws `registration_refused` for a
 * workspace that asks very many at a time.
 */
export const atServer = <Result>(
  dependencies: Pick<ActivityDependencies, 'limits'>,
  { workspace_id: workspaceId }: Pick<RegistrationRow, 'workspace_id'>,
  work: () => Promise<Result>,
): Promise<Result> => inShare(dependencies, { workspaceId, type: 'registration_refused' }, work);

/** Runs `work`, and turns what a server is refused for into a failure with its sentence. */
export async function orRefused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthDiscoveryError) {
      throw error.isTemporary ? registrationRefusedForNow(error.message) : registrationRefused(error.message);
    }
    throw error;
  }
}

export interface RegistrationFailure extends AttemptInput {
  reason: string;
  /** Nobody was reached: whether what was in use can still be used is not known. */
  isTemporary: boolean;
}

/**
 * Ends the attempt with a sentence for the admin; an entry that was in use goes on to be used where nobody
 * was reached. Idempotent.
 */
export async function recordRegistrationFailure(
  { db }: ActivityDependencies,
  { reason, isTemporary, ...attempt }: RegistrationFailure,
): Promise<RegistrationOutcome> {
  const registration = await readAttempt({ db }, attempt);
  if (registration !== null) {
    const settlement: Settlement =
      isTemporary && registration.resumes
        ? { status: 'resumed', reason: `${reason} The entry goes on to be used as before.` }
        : { status: 'failed', reason, foundServer: null };
    await settleAttempt(db, registration, settlement);
  }
  return readOutcome({ db }, attempt);
}

/**
 * Returns whether a client is to be registered; otherwise the attempt has ended, as `settled` says. It only
 * reads at the server, and may be repeated. Throws `registration_refused`.
 */
export async function discoverServer(
  dependencies: ActivityDependencies,
  attempt: AttemptInput,
): Promise<{ needsClient: true } | { needsClient: false; settled: RegistrationOutcome }> {
  const { needsClient } = await discover(dependencies, attempt);
  return needsClient ? { needsClient } : { needsClient, settled: await readOutcome(dependencies, attempt) };
}

async function discover(
  dependencies: ActivityDependencies,
  attempt: AttemptInput,
): Promise<{ needsClient: boolean }> {
  const { db } = dependencies;
  const registration = await readAttempt(dependencies, attempt);
  if (registration === null) {
    return { needsClient: false };
  }
  const { shape, sign_in_server: accepted } = registration;
  const ended = { needsClient: false };
  if ((shape.headers ?? []).length > 0) {
    // Its credential is an agent's; a check of the entry shows whether the server takes it.
    await settleAttempt(db, registration, { status: 'ready', signIn: 'headers', signInServer: null });
    return ended;
  }
  const found = await orRefused(() =>
    atServer(dependencies, registration, () =>
      discoverRemoteServer(requestContext(dependencies, registration), shape.url),
    ),
  );
  if (found.kind === 'no_sign_in') {
    await settleAttempt(db, registration, { status: 'ready', signIn: 'none', signInServer: null });
    return ended;
  }
  const foundServer = signInServer.parse(found);
  if (accepted !== null && !sameParties(partiesOf(accepted), partiesOf(foundServer))) {
    const reason = changeOf(accepted, foundServer);
    await settleAttempt(db, registration, { status: 'failed', reason, foundServer });
    return ended;
  }
  return {
    needsClient: await keepFoundServer(db, { id: registration.id, revision: attempt.revision }, foundServer),
  };
}

function changeOf(accepted: StoredSignInServer, found: StoredSignInServer): string {
  const [before, now] = [partiesOf(accepted), partiesOf(found)];
  const what = before.issuer === now.issuer ? 'resource' : 'issuer';
  return `The server names another ${what} than the one that was accepted: ${quote(now[what])} instead of ${quote(before[what])}; an admin has to accept it, or ask the server's operator.`;
}
