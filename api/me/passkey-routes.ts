/** A person's own passkeys, with which they approve where a passkey is asked for. */
import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import * as z from 'zod';
import { registerPasskey, removePasskey, renamePasskey } from '../../commands/passkeys/passkeys.ts';
import { uuid } from '../../contract/names.ts';
import {
  maxPasskeys,
  newPasskey,
  passkey,
  passkeyChallenge,
  passkeyDomain,
  passkeyPlace,
  whyNone,
} from '../../contract/passkey.ts';
import { registrationChallenge } from '../../contract/passkey-challenge.ts';
import { shownName } from '../../contract/shown-name.ts';
import { verifyNewPasskey } from '../../lib/passkeys/verify.ts';
import { insertChallenge, takeChallenge } from '../../store/passkeys/challenges.ts';
import { listCredentials, listPasskeys } from '../../store/passkeys/passkeys.ts';
import { linkOriginOf } from '../addresses.ts';
import { requireFreshSignIn } from '../auth/fresh-sign-in.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid, notFound } from '../errors.ts';
import { anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

type Dependencies = Pick<ApiDependencies, 'db' | 'config'>;

const collection = '/me/passkeys';
const path = `${collection}/{passkey_id}`;
const params = z.object({ passkey_id: uuid });
const onePasskey = z.strictObject({ passkey });

export function passkeyRoutes(dependencies: Dependencies): AnyRoute[] {
  return [
    listRoute(dependencies),
    challengeRoute(dependencies),
    registerRoute(dependencies),
    renameRoute(dependencies),
    removeRoute(dependencies),
  ];
}

function listRoute({ db, config }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'Your own passkeys, and whether your browser can make and use one at this address',
    scope: 'user',
    access: anySignedIn,
    response: z.strictObject({
      passkeys: z.array(passkey),
      /** Why not; null when it can. */
      unavailable: z.string().nullable(),
    }),
    handler: async ({ user, ctx }) => ({
      passkeys: await listPasskeys(db, user.id),
      unavailable: whyNone(passkeyPlace(linkOriginOf(config, ctx))),
    }),
  });
}

function challengeRoute({ db, config }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: '/me/passkey-challenges',
    summary: 'Begin to register a passkey, after a fresh sign-in; `credentials` are those you have',
    scope: 'user',
    access: anySignedIn,
    status: 201,
    response: passkeyChallenge,
    async handler({ user, signInId, ctx }) {
      const origin = requireOrigin(config, ctx);
      await requireFreshSignIn(db, { signInId });
      const id = randomUUID();
      const begun = await insertChallenge(db, { id, userId: user.id, purpose: 'register' });
      return {
        challenge_id: id,
        challenge: registrationChallenge({ id, userId: user.id }),
        rp_id: passkeyDomain(origin),
        expires_at: begun.expires_at,
        credentials: await listCredentials(db, { userId: user.id, origin }),
      };
    },
  });
}

function registerRoute({ db, config }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: collection,
    summary: 'Register the passkey that your browser made for a challenge, after a fresh sign-in',
    scope: 'user',
    access: anySignedIn,
    body: newPasskey,
    status: 201,
    response: onePasskey,
    async handler({ user, signInId, body, ctx }) {
      const origin = requireOrigin(config, ctx);
      await requireFreshSignIn(db, { signInId });
      const { challenge_id: id } = body;
      const isOpen = (await takeChallenge(db, { id, userId: user.id, purpose: 'register' })) !== null;
      const challenge = registrationChallenge({ id, userId: user.id });
      const made = isOpen ? await verifyNewPasskey(body, { challenge, origin }) : null;
      if (made === null) {
        const message = 'is not an answer to this challenge, or came too late: register the passkey again';
        throw invalid([{ path: 'challenge_id', code: 'invalid_passkey', message }]);
      }
      const registered = await registerPasskey(db, {
        ...made,
        publicKey: Buffer.from(made.publicKey),
        transports: body.transports,
        userId: user.id,
        name: body.name,
      });
      if (registered === 'too_many') {
        throw new ApiError('conflict', `You have ${maxPasskeys} passkeys, the most that one person may have`);
      }
      if (registered === 'known') {
        throw new ApiError('conflict', 'This passkey is registered already');
      }
      return { passkey: registered };
    },
  });
}

function renameRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'patch',
    path,
    summary: 'Rename one of your passkeys, after a fresh sign-in',
    scope: 'user',
    access: anySignedIn,
    params,
    body: z.strictObject({ name: shownName }),
    response: onePasskey,
    async handler({ user, signInId, params, body }) {
      await requireFreshSignIn(db, { signInId });
      const renamed = await renamePasskey(db, { id: params.passkey_id, userId: user.id, name: body.name });
      if (renamed === null) {
        throw notFound('The passkey');
      }
      return { passkey: renamed };
    },
  });
}

function removeRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'delete',
    path,
    summary: 'Remove one of your passkeys, after a fresh sign-in: it approves nothing from now on',
    scope: 'user',
    access: anySignedIn,
    params,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ user, signInId, params }) {
      await requireFreshSignIn(db, { signInId });
      if (!(await removePasskey(db, { id: params.passkey_id, userId: user.id }))) {
        throw notFound('The passkey');
      }
      return { ok: true } as const;
    },
  });
}

/** The platform's address as this browser reaches it. Throws 409 where browsers allow no passkeys. */
function requireOrigin(config: Dependencies['config'], ctx: Context): string {
  const place = passkeyPlace(linkOriginOf(config, ctx));
  if ('reason' in place) {
    throw new ApiError('conflict', place.reason);
  }
  return place.origin;
}
