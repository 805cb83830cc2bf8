import { settleAttempt } from '../../commands/mcp-registrations/settle.ts';
import type { RegistrationOutcome } from '../../contract/workflows.ts';
import type { Settlement } from '../../store/mcp-registrations/change.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type AttemptInput, readAttempt, readOutcome } from './attempt.ts';

export interface RegistrationFailure extends AttemptInput {
  reason: string;
  /** Nobody was reached: whether what was in use can still be used is not known. Absent in histories from before. */
  isTemporary?: boolean;
}

/** Ends the attempt with a sentence for the admin; an entry that was in use goes on to be used where nobody was reached. Idempotent. */
export async function recordRegistrationFailure(
  { db }: ActivityDependencies,
  { reason, isTemporary = false, ...attempt }: RegistrationFailure,
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
