import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { apiConfig } from '../../../config/api.ts';
import { ConfigurationError, parseEnvironment } from '../../../config/parse.ts';
import { startConfig } from '../../../config/start.ts';
import { workerConfig } from '../../../config/worker.ts';

const key = () => randomBytes(32).toString('base64');
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

const shared = {
  DATABASE_URL: 'postgres://u:p@127.0.0.1/db',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  MASTER_KEYS: `k1:${key()}`,
  SESSION_KEY_SEED: key(),
};
const api = {
  ...shared,
  APPROVAL_PRIVATE_KEY: Buffer.from(pem).toString('base64'),
  COOKIE_KEY: key(),
  DEMO_SIGN_IN: 'true',
};
const worker = {
  ...shared,
  APPROVAL_PUBLIC_KEY: 'cGVt',
  INTERNAL_API_URL: 'http://127.0.0.1:8080',
  SESSIONS_DIR: '/data/sessions',
};

function problemOf(
  schema: Parameters<typeof parseEnvironment>[0],
  environment: Record<string, string>,
): string {
  try {
    parseEnvironment(schema, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).message;
  }
  throw new Error('the configuration was accepted');
}

describe('the environment of a process', () => {
  it('is parsed into typed values with the documented defaults', () => {
    const config = parseEnvironment(apiConfig, { ...api, PORT: '9000', UNRELATED: 'x' });
    expect(config).toMatchObject({ HOST: '127.0.0.1', PORT: 9000, DEMO_SIGN_IN: true, LOG_LEVEL: 'info' });
    expect(config.RATE_USER_PER_MINUTE).toBe(600);
    expect(config.MASTER_KEYS).toMatchObject([{ id: 'k1' }]);
    expect(parseEnvironment(workerConfig, worker)).toMatchObject({ SANDBOX: 'auto', RUNTIME: 'process' });
    expect(parseEnvironment(startConfig, {})).toMatchObject({
      PORT: 8080,
      TEMPORAL_UI_PORT: 8233,
      DATA_DIR: '.data',
    });
  });

  it('has every problem reported together, each by its variable', () => {
    const message = problemOf(apiConfig, {
      ...api,
      PORT: '70000',
      MASTER_KEYS: 'nonsense',
      COOKIE_KEY: 'short',
    });
    for (const variable of ['PORT', 'MASTER_KEYS', 'COOKIE_KEY']) {
      expect(message).toContain(variable);
    }
  });

  it.each([
    ['PORT', 'abc', 'PORT: must be a port number from 0 to 65535'],
    ['PORT', '80.5', 'PORT: must be a port number from 0 to 65535'],
    ['PORT', '65536', 'PORT: must be a port number from 0 to 65535'],
    ['TEMPORAL_UI_PORT', '-1', 'TEMPORAL_UI_PORT: must be a port number from 0 to 65535'],
  ])('reports what is allowed for %s=%s', (variable, value, expected) => {
    expect(problemOf(startConfig, { [variable]: value })).toContain(expected);
  });

  it('reports what is allowed for a limit', () => {
    for (const value of ['1k', '0', '-5', '1.5']) {
      expect(problemOf(apiConfig, { ...api, RATE_USER_PER_MINUTE: value })).toContain(
        'RATE_USER_PER_MINUTE: must be a whole number above 0',
      );
    }
  });

  it('names what is missing, and treats an empty variable as missing', () => {
    const message = problemOf(workerConfig, { ...worker, SESSIONS_DIR: '', INTERNAL_API_URL: '' });
    expect(message).toContain('SESSIONS_DIR');
    expect(message).toContain('INTERNAL_API_URL');
  });

  it('is never repeated in the report', () => {
    const secrets = {
      DATABASE_URL: 'mysql://u:hunter2-in-url@h/db',
      MASTER_KEYS: 'k1:hunter2-master',
      SESSION_KEY_SEED: 'hunter2-seed',
      COOKIE_KEY: 'hunter2-cookie',
      PORT: 'hunter2-port',
      LOG_LEVEL: 'hunter2-level',
      DEMO_SIGN_IN: 'hunter2-flag',
    };
    const message = problemOf(apiConfig, { ...api, ...secrets });
    expect(message).not.toContain('hunter2');
    for (const variable of Object.keys(secrets)) {
      expect(message).toContain(variable);
    }
  });
});

describe('trusted proxies', () => {
  const parsed = (text: string) => parseEnvironment(apiConfig, { ...api, TRUST_PROXY: text }).TRUST_PROXY;

  it('are none, a number of hops, or addresses', () => {
    expect(['', 'false', '0', 'true', '1', '2'].map(parsed)).toEqual([
      { hops: 0 },
      { hops: 0 },
      { hops: 0 },
      { hops: 1 },
      { hops: 1 },
      { hops: 2 },
    ]);
    expect(parsed('10.0.0.0/8, 192.0.2.7,2001:db8::/32,::1')).toEqual({
      ranges: ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32', '::1/128'],
    });
  });

  it.each(['yes', '11', '-1', '10.0.0.0/8,', 'proxy.internal', '10.0.0.0/33', '10.0.0/8'])(
    'are not %s',
    (text) => {
      expect(problemOf(apiConfig, { ...api, TRUST_PROXY: text })).toContain('TRUST_PROXY: must be');
    },
  );
});

describe('demo sign-in', () => {
  it.each([
    ['in production', { NODE_ENV: 'production' }],
    ['on an address that others reach', { HOST: '0.0.0.0' }],
    ['behind a public address', { PUBLIC_URL: 'https://platform.example' }],
    ['behind an address of the own network', { PUBLIC_URL: 'http://192.168.1.5:8080' }],
  ])('is refused %s', (_where, change) => {
    expect(problemOf(apiConfig, { ...api, ...change })).toContain('DEMO_SIGN_IN');
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])('starts at %s', (url) => {
    expect(parseEnvironment(apiConfig, { ...api, PUBLIC_URL: url }).DEMO_SIGN_IN).toBe(true);
  });

  it('is off by default, and then a provider is required', () => {
    const { DEMO_SIGN_IN: _, ...without } = api;
    expect(problemOf(apiConfig, without)).toContain('OIDC_ISSUER');
    const provider = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'platform' };
    expect(problemOf(apiConfig, { ...without, ...provider })).toContain('PUBLIC_URL');
    const complete = { ...without, ...provider, PUBLIC_URL: 'https://platform.example' };
    expect(parseEnvironment(apiConfig, complete).DEMO_SIGN_IN).toBe(false);
  });
});

describe('the domain of previews', () => {
  const { DEMO_SIGN_IN: _, ...without } = api;
  const forOthers = {
    ...without,
    ...{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'platform' },
    PUBLIC_URL: 'https://agents.example.com',
  };

  it('is optional, and on another site than the platform', () => {
    expect(parseEnvironment(apiConfig, forOthers).PREVIEW_DOMAIN).toBeUndefined();
    const PREVIEW_DOMAIN = 'previews.example.net';
    expect(parseEnvironment(apiConfig, { ...forOthers, PREVIEW_DOMAIN })).toMatchObject({ PREVIEW_DOMAIN });
  });

  it.each(['previews.example.com', 'example.com', 'localhost', '*.example.net'])('is not %s', (domain) => {
    expect(problemOf(apiConfig, { ...forOthers, PREVIEW_DOMAIN: domain })).toContain('PREVIEW_DOMAIN: ');
  });
});

describe('an identity provider on the same machine', () => {
  const { DEMO_SIGN_IN: _, ...without } = api;
  const withProvider = (OIDC_ISSUER: string, PUBLIC_URL: string) => ({
    ...without,
    OIDC_CLIENT_ID: 'platform',
    OIDC_ISSUER,
    PUBLIC_URL,
  });

  it.each([
    ['http://127.0.0.1:9000', 'https://platform.example'],
    ['http://127.8.8.8:9000', 'http://platform.example'],
    ['http://127.1:9000', 'http://192.0.2.1:8080'],
    ['http://localhost:9000', 'https://localhost.platform.example'],
    ['HTTP://LOCALHOST.:9000', 'http://127.0.0.1.platform.example'],
    ['http://identity.localhost:9000', 'https://platform.example'],
    ['http://[::1]:9000', 'http://[2001:db8::1]:8080'],
    ['http://[::ffff:127.0.0.1]:9000', 'https://platform.example'],
    ['http://0.0.0.0:9000', 'https://platform.example'],
  ])('%s is refused if others reach the platform at %s', (issuer, publicUrl) => {
    const problem = problemOf(apiConfig, withProvider(issuer, publicUrl));
    expect(problem).toContain('OIDC_ISSUER');
    expect(problem).toContain('PUBLIC_URL');
    expect(problem).not.toContain(new URL(publicUrl).host);
  });

  it.each([
    ['http://127.0.0.1:9000', 'http://localhost:8080'],
    ['http://localhost:9000', 'http://127.0.0.1:8080'],
    ['http://[::1]:9000', 'http://[::1]:8080'],
    ['https://localhost:9000', 'https://platform.example'],
    ['https://identity.example', 'https://platform.example'],
    ['http://localhost.example:9000', 'https://platform.example'],
  ])('%s is accepted with the platform at %s', (issuer, publicUrl) => {
    expect(parseEnvironment(apiConfig, withProvider(issuer, publicUrl)).OIDC_ISSUER).toBe(issuer);
  });
});

describe('an invalid address', () => {
  it.each([
    ['OIDC_ISSUER', { OIDC_ISSUER: 'identity', PUBLIC_URL: 'https://platform.example' }],
    ['PUBLIC_URL', { OIDC_ISSUER: 'http://127.0.0.1:9000', PUBLIC_URL: 'platform' }],
  ])('is refused by name: %s', (variable, change) => {
    expect(problemOf(apiConfig, { ...api, OIDC_CLIENT_ID: 'platform', ...change })).toContain(variable);
  });
});

describe('master keys', () => {
  it('may be several, the first of which seals', () => {
    const keys = parseEnvironment(apiConfig, {
      ...api,
      MASTER_KEYS: `new:${key()}, old:${key()}`,
    }).MASTER_KEYS;
    expect(keys.map(({ id }) => id)).toEqual(['new', 'old']);
  });

  it.each([`k1:${randomBytes(31).toString('base64')}`, `:${key()}`, key(), `k1:${key()},`, `a b:${key()}`])(
    'that are not id and 32 bytes are refused',
    (MASTER_KEYS) => {
      expect(problemOf(apiConfig, { ...api, MASTER_KEYS })).toContain('MASTER_KEYS');
    },
  );
});
