/** What the steps of one attempt to register a remote server share. */
import { Context } from '@temporalio/activity';
import type { RegistrationOutcome } from '../../contract/workflows.ts';
import type { OAuthContext } from '../../lib/oauth/context.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { registrationRefused, registrationRefusedForNow } from '../failures.ts';

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
export const requestContext = ({
  remoteServers,
}: Pick<ActivityDependencies, 'remoteServers'>): OAuthContext => ({
  ...remoteServers,
  signal: Context.current().cancellationSignal,
});

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
