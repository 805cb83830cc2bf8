/**
 * A real OpenID Connect provider with its development form, which takes each refresh token once and says of a
 * person what a test has it say.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createOidcProvider } from '../../api/auth/oidc.ts';
import { endLongRefused, renewDueSignIns } from '../../api/auth/renew-sign-ins.ts';
import type { ApiConfig } from '../../config/api.ts';
import type { TestApi } from './api.ts';
import { quietConsole } from './quiet-console.ts';

export interface GroupProvider {
  issuer: string;
  /** What it says of a person beside their name and address, by subject. */
  claims: Map<string, Record<string, unknown>>;
  /** Whom it knows no more. */
  gone: Set<string>;
  /** What was asked for at its token endpoint, by grant type. */
  asked: string[];
  /** Every refresh token that it gave. */
  given: string[];
  /** Its next answer to a refresh token has a refresh token, and an ID token that is none. */
  spoilsNext: boolean;
  /** While this is set it answers 503. */
  isAway: boolean;
  givesRefreshTokens: boolean;
  stop(): Promise<void>;
}

const claimNames = ['groups', 'departments', '_claim_names', '_claim_sources', 'hasgroups'];

export async function startGroupProvider(publicUrl: string): Promise<GroupProvider> {
  const warnAgain = quietConsole();
  const { default: Provider } = await import('oidc-provider');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: GroupProvider = {
    issuer,
    claims: new Map(),
    gone: new Set(),
    asked: [],
    given: [],
    spoilsNext: false,
    isAway: false,
    givesRefreshTokens: true,
    stop: async () => {
      warnAgain();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'platform',
        client_secret: 'client-secret',
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${publicUrl}/api/auth/callback`],
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: claimNames },
    issueRefreshToken: () => state.givesRefreshTokens,
    rotateRefreshToken: true,
    findAccount: (_context, id) =>
      state.gone.has(id)
        ? undefined
        : {
            accountId: id,
            claims: () => ({
              ...{ sub: id, email: `${id}@company.test`, email_verified: true, name: `Name of ${id}` },
              ...state.claims.get(id),
            }),
          },
    cookies: { keys: ['test'] },
  });
  provider.on('grant.success', (context) => {
    const grantType = String(context.oidc.params?.['grant_type']);
    state.asked.push(grantType);
    const body = context.body as { refresh_token?: string; id_token?: string };
    if (body.refresh_token !== undefined) {
      state.given.push(body.refresh_token);
    }
    if (state.spoilsNext && grantType === 'refresh_token') {
      state.spoilsNext = false;
      body.id_token = 'none';
    }
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (state.isAway) {
      response.writeHead(503).end();
    } else {
      answer(request, response);
    }
  });
  return state;
}

/**
 * Everybody's renewal is due now, and made by one process of the API, or several at once. Returns the
 * sessions that were told to end, and what was logged.
 */
export async function renewNow(
  api: TestApi,
  { config = {}, times = 1 }: { config?: Partial<ApiConfig>; times?: number } = {},
): Promise<{ told: string[]; logged: string }> {
  await api.db('sign_in_renewals').update({ renew_at: api.db.raw(`now() - interval '1 second'`) });
  const provider = createOidcProvider(api.config);
  if (provider === null) {
    throw new Error('no provider is configured');
  }
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const told: string[] = [];
  const dependencies = {
    db: api.db,
    config: { ...api.config, ...config },
    log: pino({ level: 'debug' }, sink),
    workflows: {
      signalSession: async (id: string) => told.push(id) > 0,
      schedules: { put: async () => true, remove: async () => {} },
    },
    provider,
  };
  await Promise.all(Array.from({ length: times }, () => renewDueSignIns(dependencies)));
  await Promise.all(Array.from({ length: times }, () => endLongRefused(dependencies)));
  return { told, logged: lines.join('') };
}
