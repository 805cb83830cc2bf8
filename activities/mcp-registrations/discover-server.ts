/** Finds out how people sign in to a remote server. */
import { settleAttempt } from '../../commands/mcp-registrations/registrations.ts';
import {
  partiesOf,
  type StoredSignInServer,
  sameParties,
  signInServer,
} from '../../contract/mcp-registration.ts';
import type { RegistrationOutcome } from '../../contract/workflows.ts';
import { discoverRemoteServer } from '../../lib/oauth/discover.ts';
import { quote } from '../../lib/oauth/errors.ts';
import { keepFoundServer } from '../../store/mcp-registrations/registrations.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import {
  type AttemptInput,
  atServer,
  orRefused,
  readAttempt,
  readOutcome,
  requestContext,
} from './attempt.ts';

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
