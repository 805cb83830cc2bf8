/** Headers of remote servers that are imported: a prefix and a variable, and no credential. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mcpServerInput } from '../../../contract/catalog.ts';
import { remoteServerProblems } from '../../../contract/remote-server.ts';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';
import { templateOf } from '../../../web/src/pages/catalog/imported-headers.ts';
import type { KindChoices } from '../../../web/src/pages/catalog/planned-variable.ts';
import { checkProperty } from '../../support/property.ts';

const url = 'https://mcp.example/mcp';
const only = (text: unknown, kinds: KindChoices = {}) => {
  const [planned] = planImport(JSON.stringify(text), { kinds }).servers;
  if (planned === undefined) {
    throw new Error('nothing was planned');
  }
  return planned;
};
const desktop = (headers: unknown, more = {}) => only({ mcpServers: { notes: { url, headers, ...more } } });
const registry = (headers: unknown, kinds: KindChoices = {}) =>
  only(
    { name: 'io.github.ada/notes', packages: [], remotes: [{ type: 'streamable-http', url, headers }] },
    kinds,
  );
const bearer = { name: 'Authorization', prefix: 'Bearer ', variable: 'API_TOKEN' };
const secret = (label: string) => ({ kind: 'secret', label, required: true });
const random = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b';

describe('a header of a desktop client', () => {
  it.each([
    ['Bearer ${API_TOKEN}', bearer],
    ['Bearer ${env:API_TOKEN}', bearer],
    ['Bearer {API_TOKEN}', bearer],
    ['Bearer ${input:api-token}', bearer],
    ['${API_TOKEN}', { ...bearer, prefix: '' }],
  ])('of "%s" is a prefix and a variable that a secret fills in', (text, header) => {
    const { input, problems } = desktop({ Authorization: text });
    expect(problems).toEqual([]);
    expect(input).toEqual({
      name: 'notes',
      shape: { type: 'remote', url, headers: [header] },
      manifest: { env: { API_TOKEN: secret('Api token') }, tool_scopes: {} },
    });
  });

  it.each([
    ['Authorization', 'Bearer abc'],
    ['X-Api-Key', 'abc'],
    ['X-Tenant', random],
    ['X-Tenant', `v1 ${random}`],
    ['X-Tenant', '${KEY:-ghp_abc}'],
  ])('%s with a literal that may be a secret is refused, and not repeated', (name, text) => {
    const { input, problems } = desktop({ [name]: text });
    expect(problems).toEqual([expect.stringMatching(`^its header ${name} looks like a secret`)]);
    expect(JSON.stringify([input, problems])).not.toContain(text);
  });

  it.each(['Bearer ${A} ${B}', '${A}!', 'Bearer ghp_abc${A}'])('of the form "%s" is refused', (text) => {
    const { problems, input } = desktop({ Authorization: text });
    expect(problems).toEqual([expect.stringMatching(/has to be a prefix and one variable/)]);
    expect(JSON.stringify([problems, input])).not.toContain('ghp_abc');
  });

  it('with a plain literal has it as the default of a variable', () => {
    expect(desktop({ 'X-Region': 'eu' })).toMatchObject({
      problems: [],
      input: {
        shape: { headers: [{ name: 'X-Region', prefix: '', variable: 'X_REGION' }] },
        manifest: { env: { X_REGION: { kind: 'value', label: 'X region', default: 'eu' } } },
      },
    });
  });

  it('shares its variable with env and other headers', () => {
    const planned = desktop({ Authorization: 'Bearer ${T}', 'X-T': '${T}' }, { env: { T: 'hush-hush' } });
    expect(planned).toMatchObject({ problems: [], variables: [{ name: 'T' }] });
    expect(planned.variables).toHaveLength(1);
  });

  it('of the protocol is left out, with a note; other mistakes are named', () => {
    const { input, notes } = desktop({ Accept: 'text/event-stream', 'content-type': 'application/json' });
    expect(input.shape).toEqual({ type: 'remote', url });
    expect(notes).toEqual([
      expect.stringMatching(/^the header Accept is left out: it is a header of the protocol/),
      expect.stringMatching(/^the header content-type is left out/),
    ]);
    expect(desktop(['A']).problems).toEqual(['headers must be an object of strings']);
    expect(desktop({ A: 1 }).problems).toEqual(['headers.A must be a string']);
    const command = only({ mcpServers: { local: { command: 'npx', headers: {} } } });
    expect(command.notes).toEqual(['"headers" is only for a server with a url, and is ignored']);
  });
});

describe('a header of the registry', () => {
  it('has the prefix and the variable that its value names, as described', () => {
    const variables = { token: { description: 'From your profile', isRequired: true, isSecret: true } };
    expect(registry([{ name: 'Authorization', value: 'Bearer {token}', variables }])).toMatchObject({
      problems: [],
      input: {
        shape: { headers: [{ ...bearer, variable: 'token' }] },
        manifest: { env: { token: { ...secret('Token'), description: 'From your profile' } } },
      },
    });
  });

  it('without a value is one that a person fills in as a whole, when it is required', () => {
    const headers = [
      { name: 'X-Api-Key', description: 'Your key', isRequired: true },
      { name: 'X-Trace', description: 'For support' },
    ];
    expect(registry(headers)).toMatchObject({
      problems: [],
      notes: expect.arrayContaining(['optional headers are left out: X-Trace']),
      input: {
        shape: { headers: [{ name: 'X-Api-Key', prefix: '', variable: 'X_API_KEY' }] },
        manifest: { env: { X_API_KEY: { kind: 'secret', description: 'Your key', required: true } } },
      },
    });
  });

  it('that says its values is a plain one, unless somebody chooses otherwise', () => {
    const region = { choices: ['eu', 'us'], default: 'eu', isRequired: true };
    const headers = [{ name: 'X-Region', value: '{region}', variables: { region } }];
    const fixed = [{ name: 'X-Client', value: 'agents' }];
    expect(registry(headers).input.manifest?.env).toEqual({
      region: { kind: 'value', label: 'Region', required: true, enum: ['eu', 'us'], default: 'eu' },
    });
    expect(
      registry(headers, { 'io.github.ada/notes / region': 'secret' }).input.manifest?.env?.['region'],
    ).toEqual(secret('Region'));
    expect(registry(fixed).input.manifest?.env).toEqual({
      X_CLIENT: { kind: 'value', label: 'X client', default: 'agents' },
    });
  });

  it.each([
    ['a secret in its value', { name: 'X-A', value: 'hush', isSecret: true }, /is secret, and has its value/],
    ['what looks like one', { name: 'X-A', value: random }, /looks like a secret/],
    ['two variables', { name: 'X-A', value: '{a}{b}' }, /a prefix and one variable/],
  ])('is refused with %s', (_, header, why) => {
    const { problems, input } = registry([header]);
    expect(problems).toEqual([expect.stringMatching(why)]);
    expect(JSON.stringify([problems, input])).not.toContain(header.value);
  });
});

describe('what is imported of headers', () => {
  it('can be registered, or says why not, and holds no value that looks secret', () => {
    const text = fc.oneof(
      fc.stringMatching(/^(Bearer )?\$\{[A-Za-z0-9_-]{1,8}\}$/),
      fc.stringMatching(/^[ -~]{0,12}$/),
      fc.constant(`Bearer ${random}`),
    );
    const name = fc.oneof(
      fc.constantFrom('Authorization', 'X-Api-Key', 'X-Region'),
      fc.string({ maxLength: 6 }),
    );
    checkProperty(
      fc.property(
        fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key, maxLength: 3 }),
        (pairs) => {
          const { input, problems } = desktop(Object.fromEntries(pairs));
          expect(JSON.stringify(input)).not.toContain(random);
          if (problems.length === 0) {
            expect(remoteServerProblems(mcpServerInput.parse(input))).toEqual([]);
          }
        },
      ),
    );
  });

  it('is found after any prefix', () => {
    const parts = [fc.stringMatching(/^[^${}]{0,12}$/), fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)] as const;
    checkProperty(
      fc.property(...parts, (prefix, variable) => {
        expect(templateOf(`${prefix}\${${variable}}`)).toEqual({ prefix, variable, suffix: '' });
        expect(templateOf(`${prefix}{${variable}}!`)).toEqual({ prefix, variable, suffix: '!' });
        expect(templateOf(prefix)).toEqual({ prefix, variable: null, suffix: '' });
      }),
    );
  });
});
