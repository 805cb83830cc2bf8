import Provider, { interactionPolicy } from 'oidc-provider';

const scope = 'openid email profile';

/**
 * Authorization code with PKCE for one public client, the platform. Everybody's e-mail
 * address counts as verified.
 */
export function createProvider({ issuer, publicUrl, people, keys }) {
  const provider = new Provider(issuer.origin, {
    clients: [
      {
        client_id: 'platform',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${publicUrl.origin}/api/auth/callback`],
      },
    ],
    jwks: keys.jwks,
    cookies: { keys: [keys.cookieKey] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/choose/${uid}`, policy: askEachTime() },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
    },
    // The platform is the one client, so nobody has to consent to it.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
    findAccount: (_ctx, id) => {
      const person = Object.hasOwn(people, id) ? people[id] : undefined;
      return person && { accountId: id, claims: () => claimsOf(id, person) };
    },
  });
  return provider;
}

function claimsOf(id, { email, name }) {
  return { sub: id, email, email_verified: true, name };
}

/** Switching identity means signing out of the platform and in again. */
function askEachTime() {
  const { Check, base } = interactionPolicy;
  const policy = base();
  policy
    .get('login')
    .checks.add(
      new Check('choose_each_time', 'Whoever signs in chooses who to be', 'login_required', (ctx) =>
        ctx.oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}
