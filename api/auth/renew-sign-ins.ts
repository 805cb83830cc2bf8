/**
 * Sign-ins are renewed with the provider's refresh tokens, by every API process and whether or not a browser
 * is open (docs/decisions/0078-groups-at-renewal.md).
 */
import type { ApiConfig } from '../../config/api.ts';
import type { Groups } from '../../contract/group-rule.ts';
import { inTransaction } from '../../store/database.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import {
  type DueRenewal,
  refuseRenewal,
  replaceRefreshToken,
  takeDueRenewals,
} from '../../store/sign-ins/renewals.ts';
import { readUser } from '../../store/users/users.ts';
import { applyGroups, type GroupDependencies } from './apply-groups.ts';
import { type OidcProvider, RenewalRefusedError } from './oidc.ts';

export interface RenewalDependencies extends GroupDependencies {
  config: GroupDependencies['config'] & Pick<ApiConfig, 'MASTER_KEYS' | 'OIDC_REFUSAL_ENDS_ROLES'>;
  provider: Pick<OidcProvider, 'renew'>;
}

/** At a time, which share the connections to the database with everybody's requests. */
const atATime = 4;
/** Longer than the provider and the database may take; then it is tried again. */
const leaseSeconds = 60;

/**
 * Renews all sign-ins that are due: applies the rules to the groups that each person has now, and ends the
 * sign-ins of those whom the provider no longer vouches for. One that could not be renewed is tried again a
 * minute later, until it ends by itself.
 */
export async function renewDueSignIns(dependencies: RenewalDependencies): Promise<void> {
  const { db, config, log } = dependencies;
  let taken: DueRenewal[];
  do {
    const seconds = config.OIDC_RENEWAL_MINUTES * 60;
    taken = await takeDueRenewals(db, config.MASTER_KEYS, { limit: atATime, leaseSeconds, seconds });
    await Promise.all(
      taken.map((renewal) =>
        renew(dependencies, renewal).catch((err: unknown) =>
          log.warn({ user_id: renewal.userId, err }, 'a sign-in could not be renewed; it is tried again'),
        ),
      ),
    );
  } while (taken.length === atATime);
}

async function renew(dependencies: RenewalDependencies, renewal: DueRenewal): Promise<void> {
  const { db, config, log } = dependencies;
  const { signInId, userId } = renewal;
  const user = await readUser(db, userId);
  const answer = await ask(dependencies, renewal);
  if (user === null || answer instanceof Error) {
    log.info({ user_id: userId, err: answer }, 'a sign-in was not renewed, and ended');
    if (user !== null && answer instanceof RenewalRefusedError && config.OIDC_REFUSAL_ENDS_ROLES) {
      // Before the refusal is recorded: a kill in between has both done again.
      await applyGroups(dependencies, user, { values: new Set() });
    }
    await inTransaction(db, (trx) => refuseRenewal(trx, signInId));
    return;
  }
  await applyGroups(dependencies, user, answer, signInId);
}

/** The groups, or why nobody can be asked for them any more; throws where it may be tried again. */
async function ask(
  { db, config, provider }: RenewalDependencies,
  { signInId, subject, open }: DueRenewal,
): Promise<Groups | RenewalRefusedError | UnreadableSecretError> {
  const keep = (refreshToken: string) =>
    replaceRefreshToken(db, config.MASTER_KEYS, { signInId, refreshToken });
  try {
    return await provider.renew(open(), subject, keep);
  } catch (error) {
    if (error instanceof RenewalRefusedError || error instanceof UnreadableSecretError) {
      return error;
    }
    throw error;
  }
}
