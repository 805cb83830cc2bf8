import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { apiConfig } from '../../../config/api.ts';
import { databaseUrl, parseEnvironment } from '../../../config/parse.ts';
import { workerConfig, workerVariables } from '../../../config/worker.ts';
import { searchAttributes } from '../../../contract/workflow-ids.ts';

const service = z.looseObject({
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  command: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
});
const compose = z.looseObject({ services: z.record(z.string(), service) });

const { services } = compose.parse(parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }));
const variables = {
  api: Object.keys(apiConfig.shape),
  worker: workerVariables,
  migrate: ['DATABASE_URL'],
};
const schemas = { api: apiConfig, worker: workerConfig, migrate: z.object({ DATABASE_URL: databaseUrl }) };

/** What a person adds to the generated keys. */
const ownValues: Record<string, string> = {
  PUBLIC_URL: 'https://platform.example',
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'platform',
};
const values = new Map<string, string>();

beforeAll(() => {
  const generated = execFileSync(process.execPath, ['scripts/make-keys.mjs'], { encoding: 'utf8' });
  for (const line of generated.trim().split('\n')) {
    const at = line.indexOf('=');
    values.set(line.slice(0, at), line.slice(at + 1));
  }
  for (const [name, value] of Object.entries(ownValues)) {
    values.set(name, value);
  }
});

/** As compose does it: `${NAME:?why}` must be set, `${NAME:-default}` need not be. */
function environmentOf(name: keyof typeof schemas): Record<string, string> {
  const environment = services[name]?.environment ?? {};
  return Object.fromEntries(
    Object.entries(environment).map(([variable, text]) => [
      variable,
      text.replaceAll(
        /\$\{(\w+)(?::([?-])([^}]*))?\}/g,
        (_all, key: string, kind?: string, rest?: string) => {
          const value = values.get(key) ?? (kind === '-' ? rest : undefined);
          if (value === undefined) {
            throw new Error(`${key} is set by nobody`);
          }
          return value;
        },
      ),
    ]),
  );
}

describe('docker-compose.yml', () => {
  it('has every part of the platform as a service of its own, with a health check', () => {
    expect(Object.keys(services).sort()).toEqual(['api', 'migrate', 'postgres', 'temporal', 'worker']);
    for (const name of ['postgres', 'temporal', 'api', 'worker']) {
      expect(services[name]?.healthcheck?.test.length).toBeGreaterThan(1);
    }
  });

  it.each(['api', 'worker', 'migrate'] as const)(
    'starts the %s with a configuration that it accepts',
    (name) => {
      expect(() => parseEnvironment(schemas[name], environmentOf(name))).not.toThrow();
    },
  );

  it.each(['api', 'worker', 'migrate'] as const)('gives the %s no variable that it does not read', (name) => {
    expect(variables[name]).toEqual(expect.arrayContaining(Object.keys(environmentOf(name))));
  });

  it('holds no key itself, and gives the signing keys to the API alone', () => {
    for (const variable of ['APPROVAL_PRIVATE_KEY', 'COOKIE_KEY']) {
      expect(services['api']?.environment[variable]).toMatch(/^\$\{/);
      expect(services['worker']?.environment).not.toHaveProperty(variable);
    }
  });

  it('never opens the demo sign-in, and publishes on the loopback address only', () => {
    expect(environmentOf('api')).not.toHaveProperty('DEMO_SIGN_IN');
    for (const { ports } of Object.values(services)) {
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    }
  });

  it('tells Temporal the search attributes that the workflows set', () => {
    for (const [name, type] of Object.entries(searchAttributes)) {
      expect(services['temporal']?.command).toContain(`--search-attribute=${name}=${type}`);
    }
  });

  it('waits for what each service needs', () => {
    expect(services['api']?.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
    });
    expect(services['migrate']?.depends_on).toMatchObject({ postgres: { condition: 'service_healthy' } });
  });
});
