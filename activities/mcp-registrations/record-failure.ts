import { settleAttempt } from '../../commands/mcp-registrations/settle.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type AttemptInput, readAttempt } from './attempt.ts';

/** Ends the attempt with a sentence for the admin. Idempotent. */
export async function recordRegistrationFailure(
  dependencies: ActivityDependencies,
  { reason, ...attempt }: AttemptInput & { reason: string },
): Promise<void> {
  const registration = await readAttempt(dependencies, attempt);
  if (registration !== null) {
    await settleAttempt(dependencies.db, registration, { status: 'failed', reason, foundServer: null });
  }
}
