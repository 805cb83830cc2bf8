/**
 * Sign-ins are renewed with the provider's refresh tokens, by every API process and whether or not a browser
 * is open (docs/decisions/0078-groups-at-renewal.md).
 */
import { endUnrenewedSignIn } from '../../commands/sign-ins/sign-ins.ts';
import type { ApiConfig } from '../../config/api.ts';
import type { Groups } from '../../contract/group-rule.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import {
  type DueRenewal,
  extendSignIn,
  holdRefusals,
  listLongRefused,
  replaceRefreshToken,
  settleRefusals,
  takeDueRenewals,
} from '../../store/sign-ins/renewals.ts';
import { readUser } from '../../store/users/users.ts';
import { applyGroups, type GroupDependencies, signInLifetime } from './apply-groups.ts';
import { type OidcProvider, RenewalRefusedError } from './oidc.ts';
import { signInSeconds } from './session-cookie.ts';

export interface RenewalDependencies extends GroupDependencies {
  config: GroupDependencies['config'] & Pick<ApiConfig, 'MASTER_KEYS'>;
  provider: Pick<OidcProvider, 'renew' | 'client'>;
  /** Aborted when the process ends. */
  stopping?: AbortSignal;
}

/** At a time, which share the connections to the database with everybody's requests. */
const atATime = 4;
/**
 * Longer than all that the provider (10 s for each of five requests) and the database (15 s for a statement)
 * may take together; then it is tried again, thrice within the time that a sign-in has for it.
 */
const leaseSeconds = 300;
/**
 * A person whose every renewal is refused, for so long, has no groups any more: a provider refuses who was
 * disabled there, and as well who signed out, who then signs in again.
 */
export const refusedSeconds = 24 * 3600;

/**
 * Renews all sign-ins that are due: applies the rules to the groups that each person has now, and ends the
 * sign-ins of those whom the provider no longer vouches for. One that could not be renewed is tried again
 * some minutes later, until it ends by itself.
 */
export async function renewDueSignIns(dependencies: RenewalDependencies): Promise<void> {
  const { db, config, log, provider, stopping } = dependencies;
  const { client } = provider;
  let taken: DueRenewal[];
  do {
    const seconds = config.OIDC_RENEWAL_MINUTES * 60;
    taken = await takeDueRenewals(db, config.MASTER_KEYS, { client, limit: atATime, leaseSeconds, seconds });
    await Promise.all(
      taken.map((renewal) =>
        renew(dependencies, renewal).catch((err: unknown) =>
          log.warn({ user_id: renewal.userId, err }, 'a sign-in could not be renewed; it is tried again'),
        ),
      ),
    );
  } while (taken.length === atATime && stopping?.aborted !== true);
}

/**
 * Whom the provider refused for longer than `refusedSeconds` is treated as somebody without groups, under the
 * same guards; who was held back by them is tried again.
 */
export async function endLongRefused(dependencies: RenewalDependencies): Promise<void> {
  const { db, stopping } = dependencies;
  for (const user of await listLongRefused(db, refusedSeconds)) {
    if (stopping?.aborted === true) {
      return;
    }
    await applyGroups(
      dependencies,
      user,
      { values: new Set() },
      {
        begin: (trx) => holdRefusals(trx, user.id),
        finish: async (trx, { heldBack }) => {
          if (heldBack.length === 0) {
            await settleRefusals(trx, user.id);
          }
        },
      },
    );
  }
}

async function renew(dependencies: RenewalDependencies, renewal: DueRenewal): Promise<void> {
  const { db, config, log } = dependencies;
  const { signInId, userId } = renewal;
  const user = await readUser(db, userId);
  const answer = await ask(dependencies, renewal);
  if (user === null || answer instanceof Error) {
    log.info({ user_id: userId, err: answer }, 'a sign-in was not renewed, and ended');
    const counts = answer instanceof RenewalRefusedError;
    await endUnrenewedSignIn(db, signInId, { counts });
    return;
  }
  await applyGroups(dependencies, user, answer, {
    finish: (trx) =>
      extendSignIn(trx, signInId, {
        seconds: config.OIDC_RENEWAL_MINUTES * 60,
        validSeconds: signInLifetime(config, { renewable: true }),
        longestSeconds: signInSeconds,
      }),
  });
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
