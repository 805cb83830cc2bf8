import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import * as z from 'zod';
import { apiConfig } from '../../../config/api.ts';
import { databaseUrl, parseEnvironment } from '../../../config/parse.ts';
import { withSecretFiles } from '../../../config/secret-files.ts';
import { variablesOf } from '../../../config/settings.ts';
import { workerConfig } from '../../../config/worker.ts';
import { searchAttributes, searchAttributeType } from '../../../contract/workflows.ts';

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  depends_on: z.record(z.string(), z.looseObject({ condition: z.string() })).default({}),
  command: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  network_mode: z.string().optional(),
  user: z.string().optional(),
  restart: z.string(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  privileged: z.boolean().default(false),
  logging: z.looseObject({ options: z.looseObject({ 'max-size': z.string() }) }),
});
const compose = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.looseObject({ internal: z.boolean().default(false) })),
});

const { services, networks } = compose.parse(
  parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }),
);
const configurations = {
  api: { schema: apiConfig, variables: variablesOf('API') },
  worker: { schema: workerConfig, variables: variablesOf('worker', 'container') },
  migrate: { schema: z.object({ DATABASE_URL: databaseUrl }), variables: ['DATABASE_URL'] },
};
const programs = Object.keys(configurations) as (keyof typeof configurations)[];
/** They do one thing and end. */
const oneShot = [
  'prepare',
  'migrate',
  'seed',
  'sidecar-image',
  'scripted-image',
  'runner-image',
  'claude-image',
  ...['acp-image', 'acp-claude-image', 'acp-codex-image', 'acp-opencode-image'],
];
const lasting = Object.entries(services).filter(([name]) => !oneShot.includes(name));

/** Interpolates like compose, from the inside out: `${NAME:-default}` and `${NAME}`. */
function interpolate(text: string, values: Record<string, string>): string {
  const next = text.replace(/\$\{(\w+)(?::-([^${}]*))?\}/, (_all, name: string, fallback?: string) => {
    const value = values[name] || fallback;
    if (value === undefined) {
      throw new Error(`${name} is set by nobody`);
    }
    return value;
  });
  return next === text ? text : interpolate(next, values);
}

function environmentOf(name: string, values: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {});
  const known = { COMPOSE_PROJECT_NAME: 'gatepost', ...values };
  return Object.fromEntries(entries.map(([variable, text]) => [variable, interpolate(text, known)]));
}

const printed = execFileSync(process.execPath, ['scripts/make-keys.mjs'], { encoding: 'utf8' });
const made = new Map(
  [...printed.matchAll(/^(\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
).set('DATABASE_URL', 'postgres://platform:secret@postgres:5432/platform');

/** With the files that `prepare` makes, as far as the service sees them. */
function parsed(name: keyof typeof configurations, values: Record<string, string> = {}) {
  const mounted = (services[name]?.volumes ?? []).map((volume) => volume.split(':')[1]);
  const environment = environmentOf(name, values);
  const withFiles = withSecretFiles(environment, (path) => {
    const variable = Object.keys(environment).find((key) => environment[key] === path);
    const value = made.get(variable?.replace(/_FILE$/, '') ?? '');
    if (value === undefined || !mounted.some((directory) => path.startsWith(`${directory}/`))) {
      throw new Error(`${name} does not see ${path}`);
    }
    return value;
  });
  return parseEnvironment<z.ZodType>(configurations[name].schema, withFiles);
}

describe('docker-compose.yml', () => {
  it.each(programs)('starts the %s in a fresh clone, with a configuration that it accepts', (name) => {
    expect(() => parsed(name)).not.toThrow();
  });

  it.each(programs)('gives the %s no variable that it does not read', (name) => {
    const names = Object.keys(environmentOf(name)).map((variable) => variable.replace(/_FILE$/, ''));
    expect(configurations[name].variables).toEqual(expect.arrayContaining(names));
  });

  it.each(['api', 'worker'] as const)(
    'gives the %s whatever it reads, but what is for other files',
    (name) => {
      const given = Object.keys(environmentOf(name)).map((variable) => variable.replace(/_FILE$/, ''));
      const leftOut = configurations[name].variables.filter((variable) => !given.includes(variable));
      // Certificates are mounted by a file of the operator's own, and nobody signs in as
      // anybody beside other people.
      expect(leftOut.toSorted()).toEqual([
        'DATABASE_POOL',
        ...(name === 'api' ? ['DEMO_SIGN_IN'] : []),
        ...['TEMPORAL_TLS_CA', 'TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY', 'TEMPORAL_TLS_SERVER_NAME'],
      ]);
    },
  );

  it('passes on chosen values in place of generated ones', () => {
    const own = {
      DATABASE_URL: 'postgres://me@db.example/platform',
      OIDC_ISSUER: 'https://id.example',
      PUBLIC_URL: 'https://platform.example',
      RATE_USER_PER_MINUTE: '4096',
    };
    expect(parsed('api', own)).toMatchObject({ ...own, RATE_USER_PER_MINUTE: 4096 });
  });

  it('holds no key itself, and lets each service see its own only', () => {
    const seen = (name: string) =>
      services[name]?.volumes.flatMap((volume) => /^(keys-\w+):/.exec(volume)?.[1] ?? []).sort();
    expect(seen('api')).toEqual(['keys-api', 'keys-database', 'keys-shared']);
    expect(seen('worker')).toEqual(['keys-database', 'keys-shared']);
    expect(seen('migrate')).toEqual(['keys-database']);
    expect(seen('postgres')).toEqual(['keys-postgres']);
    expect(seen('identity')).toEqual(['keys-identity']);
    expect(seen('temporal')).toEqual([]);
    for (const variable of ['APPROVAL_PRIVATE_KEY', 'COOKIE_KEY']) {
      expect(services['worker']?.environment).not.toHaveProperty(variable);
    }
  });

  it('never opens the demo sign-in, and publishes on the loopback address only', () => {
    expect(environmentOf('api')).not.toHaveProperty('DEMO_SIGN_IN');
    for (const { ports } of Object.values(services)) {
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    }
  });

  it('gives the engine’s socket to the worker alone, and says what that means', () => {
    const holders = Object.entries(services).filter(([, { volumes }]) =>
      volumes.some((volume) => volume.includes('.sock')),
    );
    expect(holders.map(([name]) => name)).toEqual(['worker']);
    expect(readFileSync('docker-compose.yml', 'utf8')).toMatch(/SOCKET IS ROOT ON ITS MACHINE/);
  });

  it('gives every service the fewest privileges', () => {
    for (const [name, { read_only, cap_drop, cap_add, security_opt, privileged }] of Object.entries(
      services,
    )) {
      expect({ name, privileged }).toEqual({ name, privileged: false });
      if (!name.endsWith('-image')) {
        expect({ name, read_only, cap_drop }).toEqual({ name, read_only: true, cap_drop: ['ALL'] });
        expect(security_opt).toEqual(['no-new-privileges:true']);
        expect(cap_add).toEqual(name === 'prepare' ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'] : []);
      }
    }
    const roots = Object.entries(services).filter(
      ([name, { user }]) => !name.endsWith('-image') && /^0|^$/.test(user ?? ''),
    );
    expect(roots.map(([name]) => name).sort()).toEqual(['prepare', 'worker']);
  });

  it('checks the health of long-running services, and restarts them', () => {
    expect(lasting.map(([name]) => name).sort()).toEqual([
      'api',
      'identity',
      'postgres',
      'temporal',
      'worker',
    ]);
    for (const [name, { healthcheck, restart }] of lasting) {
      expect({ name, checks: (healthcheck?.test.length ?? 0) > 1, restart }).toEqual({
        name,
        checks: true,
        restart: 'unless-stopped',
      });
    }
    for (const name of oneShot) {
      expect(services[name]?.restart).toBe('no');
    }
  });

  it('keeps Postgres and Temporal on an internal network, separate from the sidecars', () => {
    expect(networks['platform']?.internal).toBe(true);
    expect(networks['sidecars']?.internal).toBe(true);
    expect(services['postgres']?.networks).toEqual(['platform']);
    expect(services['temporal']?.networks).not.toContain('sidecars');
    const reachable = Object.entries(services).filter(([, { networks: on }]) => on.includes('sidecars'));
    expect(reachable.map(([name]) => name).sort()).toEqual(['api', 'worker']);
  });

  it('registers with Temporal the search attributes that the workflows set', () => {
    for (const name of Object.values(searchAttributes)) {
      expect(services['temporal']?.command).toContain(`--search-attribute=${name}=${searchAttributeType}`);
    }
    const asked = services['temporal']?.command.filter((each) => each.startsWith('--search-attribute='));
    expect(asked).toHaveLength(Object.keys(searchAttributes).length);
  });

  it('has the search attributes that operators are told to create', () => {
    const [, names = '', type] =
      /for name in ([\w ]+); do\n.*search-attribute create .* --type (\w+)\n/.exec(
        readFileSync('docs/operations.md', 'utf8'),
      ) ?? [];
    expect(names.split(' ').toSorted()).toEqual(Object.values(searchAttributes).toSorted());
    expect(type).toBe(searchAttributeType);
  });

  it('waits for what each service needs', () => {
    expect(services['api']?.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      temporal: { condition: 'service_healthy' },
    });
    expect(services['migrate']?.depends_on).toMatchObject({ postgres: { condition: 'service_healthy' } });
    expect(services['postgres']?.depends_on).toMatchObject({
      prepare: { condition: 'service_completed_successfully' },
    });
    expect(services['seed']?.depends_on).toMatchObject({
      identity: { condition: 'service_healthy' },
      worker: { condition: 'service_healthy' },
    });
  });
});
