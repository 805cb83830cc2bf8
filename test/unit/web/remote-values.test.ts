/** How people sign in to a remote server: the form of an entry. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mcpServerInput } from '../../../contract/catalog.ts';
import type { RemoteShape } from '../../../contract/remote-server.ts';
import {
  type EntryValues,
  fieldOf,
  hasField,
  inputOf,
  newEntry,
  problemsOf,
} from '../../../web/src/pages/catalog/entry-values.ts';
import { headerPrefixProblem } from '../../../web/src/pages/catalog/header-prefix.ts';
import { exampleManifest, readManifest } from '../../../web/src/pages/catalog/manifest-text.ts';
import {
  newHeader,
  remoteShapeOf,
  remoteValuesOf,
  withSecretVariable,
} from '../../../web/src/pages/catalog/remote-values.ts';
import { checkProperty } from '../../support/property.ts';

const url = 'https://mcp.example/notes';
const bearer = { name: 'Authorization', prefix: 'Bearer ', variable: 'API_TOKEN' };
const remote = (more: Partial<EntryValues>): EntryValues => ({
  ...newEntry,
  name: 'notes',
  shapeType: 'remote',
  url,
  ...more,
});
const withKey = (more: Partial<EntryValues> = {}) =>
  remote({ signInWith: 'key', headers: [bearer], manifestText: exampleManifest, ...more });

describe('the form of a remote server', () => {
  it.each<[string, RemoteShape]>([
    ['nothing but an address', { type: 'remote', url }],
    ['a static key', { type: 'remote', url, headers: [bearer, { ...bearer, name: 'X-Key', prefix: '' }] }],
    ['a public client', { type: 'remote', url, client: { client_id: 'by-hand' } }],
    [
      'a client with a secret',
      { type: 'remote', url, client: { client_id: 'by-hand', client_secret: '${NOTES_CLIENT}' } },
    ],
  ])('sends back what it was given: %s', (_, shape) => {
    expect(remoteShapeOf(remoteValuesOf(shape))).toEqual(shape);
  });

  it('sends back every shape that an entry may have', () => {
    const header = fc.record({
      name: fc.stringMatching(/^X-[A-Za-z]{1,8}$/),
      prefix: fc.stringMatching(/^[ -~]{0,8}$/),
      variable: fc.stringMatching(/^[A-Z_]{1,8}$/),
    });
    checkProperty(
      fc.property(
        fc.uniqueArray(header, { selector: ({ name }) => name.toLowerCase(), minLength: 1, maxLength: 3 }),
        (headers) => {
          const { shape } = mcpServerInput.parse({ name: 'n', shape: { type: 'remote', url, headers } });
          expect(shape.type === 'remote' && remoteShapeOf(remoteValuesOf(shape))).toEqual(shape);
        },
      ),
      { runs: 50 },
    );
  });

  it('sends only what belongs to the chosen sign-in, and is reached over the internet alone', () => {
    const typed = { clientId: 'by-hand', clientSecret: 'NOTES', network: 'none', egress: 'db:1' } as const;
    expect(inputOf(withKey(typed))).toMatchObject({
      shape: { type: 'remote', url, headers: [bearer] },
      network: 'internet',
      egress_allow: [],
    });
    expect(inputOf(withKey({ ...typed, signInWith: 'person' })).shape).toEqual({
      type: 'remote',
      url,
      client: { client_id: 'by-hand', client_secret: '${NOTES}' },
    });
    expect(inputOf({ ...withKey(typed), shapeType: 'command' })).toMatchObject({
      network: 'none',
      egress_allow: ['db:1'],
    });
  });

  it('can be sent with either sign-in', () => {
    expect([problemsOf(remote({})), problemsOf(withKey())]).toEqual([{}, {}]);
  });

  it.each<[string, EntryValues, Record<string, unknown>]>([
    ['an address', remote({ url: 'mcp.example' }), { url: expect.stringMatching(/address such as/) }],
    ['a client’s id', remote({ clientSecret: 'NOTES' }), { clientId: 'is required with a client secret' }],
    ['a header', withKey({ headers: [] }), { headers: expect.stringMatching(/at least one header/) }],
    [
      'a header of the protocol',
      withKey({ headers: [{ ...bearer, name: 'Mcp-Session-Id' }] }),
      { 'headers.0.name': expect.stringMatching(/of the protocol/) },
    ],
    [
      'a header twice',
      withKey({ headers: [bearer, { ...bearer, name: 'authorization' }] }),
      { headers: 'must not name a header twice' },
    ],
    [
      'a variable of the manifest',
      withKey({ headers: [bearer, { name: 'X-Key', prefix: '', variable: 'OTHER' }] }),
      { 'headers.1.variable': 'OTHER is not declared by the manifest' },
    ],
    [
      'a name and a variable',
      withKey({ headers: [{ name: ' ', prefix: '', variable: '' }] }),
      { 'headers.0.name': 'is required', 'headers.0.variable': 'is required' },
    ],
    [
      'a key that is no secret of everybody',
      withKey({ headers: [{ ...bearer, prefix: 'Bearer ghp_abc123' }] }),
      { 'headers.0.prefix': expect.stringMatching(/looks like a secret/) },
    ],
    [
      'a manifest that can be read, before its variables',
      withKey({ manifestText: '{' }),
      { manifestText: expect.stringMatching(/not JSON/) },
    ],
  ])('needs %s', (_, values, problems) => expect(problemsOf(values)).toEqual(problems));

  it.each([
    ['shape.url', 'url', 'person'],
    ['shape.client.client_id', 'clientId', 'person'],
    ['shape.client.client_secret', 'clientSecret', 'person'],
    ['shape.headers', 'headers', 'key'],
    ['shape.headers.3.variable', 'headers.3.variable', 'key'],
  ] as const)('shows %s at %s', (path, field, signInWith) => {
    expect(fieldOf(path)).toBe(field);
    expect(hasField(remote({ signInWith }), field)).toBe(true);
  });

  it('lists what has no field there', () => {
    expect(hasField(remote({}), 'network')).toBe(false);
    expect(hasField(remote({}), 'headers.0.name')).toBe(false);
    expect(hasField({ ...newEntry, shapeType: 'command' }, 'network')).toBe(true);
  });
});

describe('a header', () => {
  const { manifest } = readManifest(exampleManifest);

  it('begins as most servers take a key, with the first secret that none has yet', () => {
    expect(newHeader(manifest, [])).toEqual(bearer);
    expect(newHeader(null, [])).toEqual(bearer);
    expect(newHeader(manifest, [bearer])).toEqual({ name: '', prefix: '', variable: '' });
  });

  it.each(['', 'Bearer ', 'bearer', 'Basic ', 'token=', 'v1 '])('may have the prefix "%s"', (prefix) =>
    expect(headerPrefixProblem(prefix)).toBeNull(),
  );
  it.each(['ghp_abc', 'Bearer eyJhbGciOi', 'Bearer  sk-live', 'Token 9f86d081884c7d659a2feaa0'])(
    'may not have the prefix "%s"',
    (prefix) => expect(headerPrefixProblem(prefix)).not.toBeNull(),
  );

  it('has its variable declared as a secret, beside what the manifest has', () => {
    const text = withSecretVariable(exampleManifest, 'NOTES_KEY') ?? '';
    expect(readManifest(text).manifest).toEqual({
      ...manifest,
      env: { ...manifest?.env, NOTES_KEY: { kind: 'secret', label: 'Notes key', required: true } },
    });
    expect(readManifest(withSecretVariable('', 'KEY') ?? '').manifest?.env).toHaveProperty('KEY');
    expect(withSecretVariable('{', 'KEY')).toBeNull();
  });
});
