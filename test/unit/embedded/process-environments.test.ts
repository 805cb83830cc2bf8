import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadOrCreateKeys } from '../../../bin/start/keys.ts';
import { processEnvironments } from '../../../bin/start/process-environments.ts';
import { apiConfig } from '../../../config/api.ts';
import { limitFields } from '../../../config/limits.ts';
import { parseEnvironment } from '../../../config/parse.ts';
import { variablesOf } from '../../../config/settings.ts';
import { workerConfig } from '../../../config/worker.ts';

const directory = mkdtempSync(join(tmpdir(), 'environments-'));
afterAll(() => rmSync(directory, { recursive: true }));

const keys = loadOrCreateKeys(directory);
const callers = {
  PATH: '/usr/bin',
  NODE_ENV: 'development',
  SANDBOX: 'require',
  PRIVATE_REGISTRIES: 'registry.internal',
  PRIVATE_MCP_HOSTS: 'mcp.internal',
  PRIVATE_REPOSITORY_HOSTS: 'git.internal',
  SESSION_IDLE_SECONDS: '5',
  SESSION_KEY_SEED: 'of the caller',
  AWS_SECRET_ACCESS_KEY: 'of the caller',
  NODE_OPTIONS: '--inspect',
};
const environmentsFor = (given: Record<string, string>, privateMcpHosts: string[] = []) =>
  processEnvironments(
    keys,
    {
      port: 8080,
      databaseUrl: 'postgres://u:p@127.0.0.1:1/platform',
      temporalAddress: '127.0.0.1:7233',
      temporalNamespace: 'default',
      temporalUiUrl: 'http://127.0.0.1:8233',
      privateMcpHosts,
    },
    '/data/sessions',
    given,
  );
const { api, worker } = environmentsFor(callers);

describe('what API and worker are started with', () => {
  it('gives a server three minutes for its start, unless the caller says otherwise: its packages may be on their way', () => {
    expect(worker['SERVER_HANDSHAKE_SECONDS']).toBe('180');
    expect(environmentsFor({ SERVER_HANDSHAKE_SECONDS: '20' }).worker['SERVER_HANDSHAKE_SECONDS']).toBe('20');
  });

  it('is a complete configuration of each', () => {
    expect(parseEnvironment(apiConfig, api)).toMatchObject({ HOST: '127.0.0.1', DEMO_SIGN_IN: true });
    expect(parseEnvironment(workerConfig, worker)).toMatchObject({
      SANDBOX: 'require',
      SESSION_IDLE_SECONDS: 5,
    });
  });

  it('leaves out only what a platform on one machine has no use for', () => {
    const read = { api: variablesOf('API'), worker: variablesOf('worker', 'process') };
    const all = Object.fromEntries([...read.api, ...read.worker].map((name) => [name, '7']));
    const given = environmentsFor(all);
    const leftOut = (of: 'api' | 'worker') => read[of].filter((name) => !(name in given[of])).toSorted();
    const certificates = ['CA', 'CERT', 'KEY', 'SERVER_NAME'].map((name) => `TEMPORAL_TLS_${name}`);
    const temporal = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS', ...certificates];
    expect(leftOut('api')).toEqual([
      ...['DATABASE_POOL', 'HTTPS_PROXY', 'NO_PROXY', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
      ...['OIDC_GROUPS_CLAIM', 'OIDC_GROUP_RULES', 'OIDC_ISSUER', 'OIDC_MORE_SCOPES'],
      ...[
        'OIDC_RENEWAL_MINUTES',
        'OIDC_RULE_REMOVALS_PERCENT',
        'PUBLIC_URL',
        'RUNTIME',
        ...temporal,
        'TRUST_PROXY',
      ],
    ]);
    // Images, and so their registries, are for the other runtimes.
    expect(leftOut('worker')).toEqual([
      ...['DATABASE_POOL', 'HEALTH_PORT', 'PRIVATE_REGISTRIES', 'REGISTRY_REALMS', 'RUNTIME'],
      ...temporal,
    ]);
  });

  it('has every limit that the caller set', () => {
    const set = Object.fromEntries(Object.keys(limitFields).map((name) => [name, '7']));
    const given = environmentsFor(set);
    expect(given.api).toMatchObject(set);
    expect(given.worker).toMatchObject(set);
  });

  it('passes registries of packages and their credentials only to the worker', () => {
    const set = {
      NPM_REGISTRY_URL: 'https://npm.example/',
      NPM_REGISTRY_TOKEN: 't',
      PYPI_INDEX_TOKEN_FILE: '/run/token',
      HTTPS_PROXY: 'http://proxy.example:3128',
      NO_PROXY: 'npm.example',
      PACKAGE_MAX_BYTES: '7',
      PACKAGE_FILE_HOSTS: 'files.example',
    };
    const given = environmentsFor({ ...callers, ...set });
    expect(given.worker).toMatchObject(set);
    expect(Object.keys(given.api).filter((name) => name in set)).toEqual([]);
  });

  it('passes the registries that the operator trusts only to the API', () => {
    expect(api['PRIVATE_REGISTRIES']).toBe('registry.internal');
    expect(worker['PRIVATE_REGISTRIES']).toBeUndefined();
    for (const environment of [api, worker]) {
      expect(environment['PRIVATE_MCP_HOSTS']).toBe('mcp.internal');
      expect(environment['PRIVATE_REPOSITORY_HOSTS']).toBe('git.internal');
    }
  });

  it('passes the webhooks that the operator trusts only to the worker', () => {
    const given = environmentsFor({ ...callers, PRIVATE_WEBHOOK_HOSTS: 'chat.internal' });
    expect(given.worker['PRIVATE_WEBHOOK_HOSTS']).toBe('chat.internal');
    expect(given.api).not.toHaveProperty('PRIVATE_WEBHOOK_HOSTS');
  });

  it('lists the hosts of the demo’s remote server beside those of the caller, for both', () => {
    const demo = ['http://127.0.0.1:9101', 'http://127.0.0.1:9102'];
    const hostsOf = (caller: Record<string, string>) => {
      const given = environmentsFor(caller, demo);
      return [
        parseEnvironment(apiConfig, given.api).PRIVATE_MCP_HOSTS,
        parseEnvironment(workerConfig, given.worker).PRIVATE_MCP_HOSTS,
      ];
    };
    const listed = [
      ['127.0.0.1:9101', 'http'],
      ['127.0.0.1:9102', 'http'],
    ] as const;
    for (const hosts of hostsOf(callers)) {
      expect(hosts).toEqual(new Map([['mcp.internal', 'https'], ...listed]));
    }
    for (const hosts of hostsOf({})) {
      expect(hosts).toEqual(new Map(listed));
    }
  });

  it('passes the key that signs approvals and the one that signs cookies only to the API', () => {
    const values = Object.values(worker);
    expect(values).not.toContain(keys.approval_private_key);
    expect(values).not.toContain(keys.cookie_key);
    expect(Object.values(api)).toContain(keys.approval_private_key);
  });

  it('includes nothing else of the caller', () => {
    for (const environment of [api, worker]) {
      expect(JSON.stringify(environment)).not.toContain('of the caller');
      expect(environment).not.toHaveProperty('NODE_OPTIONS');
      expect(environment['PATH']).toBe('/usr/bin');
    }
  });
});
