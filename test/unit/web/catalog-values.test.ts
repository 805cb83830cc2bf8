import { beforeAll, describe, expect, it } from '@jest/globals';
import type { McpServer } from '../../../web/src/api/types.ts';
import {
  fieldOf,
  hasField,
  inputOf,
  newEntry,
  problemsOf,
  valuesOf,
} from '../../../web/src/pages/catalog/entry-values.ts';
import { imageChangeLines } from '../../../web/src/pages/catalog/image-change-text.ts';
import { exampleManifest, readManifest } from '../../../web/src/pages/catalog/manifest-text.ts';
import { versionText } from '../../../web/src/pages/catalog/version-text.ts';
import { loadEngine } from '../../../web/src/text/judge-pattern.ts';
import {
  isReadableByAgent,
  placeOfUse,
  usersText,
  usesCutOff,
} from '../../../web/src/text/secret-use-text.ts';
import { commandText, shapeText } from '../../../web/src/text/shape-text.ts';

describe('a typed manifest', () => {
  beforeAll(loadEngine);

  it('is absent without text', () => {
    expect(readManifest(' \n')).toEqual({ manifest: null, problems: [] });
  });
  it('is read, with what it leaves out filled in', () => {
    expect(readManifest('{"env":{"A":{"kind":"value","label":"A","regex":"[a-z]+"}}}')).toEqual({
      manifest: { env: { A: { kind: 'value', label: 'A', regex: '[a-z]+' } }, tool_scopes: {} },
      problems: [],
    });
    expect(readManifest(exampleManifest).problems).toEqual([]);
  });
  it.each([
    ['{"env":', 'manifest', /is not JSON/],
    ['{"enw":{}}', 'manifest.enw', /unknown field/],
    ['{"env":{"A":{"kind":"x","label":"A"}}}', 'manifest.env.A.kind', /./],
    ['{"env":{"A":{"kind":"value","label":"A","regex":"("}}}', 'manifest.env.A.regex', /regular expression/],
    [
      '{"env":{"A":{"kind":"value","label":"A","enum":["x"],"default":"y"}}}',
      'manifest.env.A.default',
      /one of/,
    ],
    ['{"tool_scopes":{"write":"Files"}}', 'manifest.tool_scopes.write', /dot-separated/],
  ])('names the problem of %s', (text, path, message) => {
    const { manifest, problems } = readManifest(text);
    expect(manifest).toBeNull();
    expect(problems).toContainEqual(
      expect.objectContaining({ path, message: expect.stringMatching(message) }),
    );
  });
});

const server: McpServer = {
  id: 'e3a7f0de-9f3d-4c6a-8f3b-2f8f4f0b7a11',
  name: 'files',
  shape: { type: 'command', command: 'npx', args: ['-y', 'a b\nc'] },
  manifest: { env: {}, tool_scopes: { write: 'files.write' } },
  manifest_source: 'pasted',
  version: 3,
  image_digest: null,
  image_command: null,
  image_volumes: null,
  network: 'none',
  egress_allow: ['10.0.0.1:80', 'db:5432'],
  approvers: 'admin',
  require_passkey: true,
  client_features: ['roots'],
  changed_tools: 'refuse',
  unlisted_tools: 'refuse',
  listed_tools: ['read_file', 'list'],
  start_seconds: null,
  unavailable: null,
  registration: null,
  created_at: '2026-01-01T00:00:00Z',
  created_by: null,
  updated_at: '2026-01-01T00:00:00Z',
  updated_by: null,
};

describe("an entry's form", () => {
  it('sends back what it was given, line breaks in arguments included', () => {
    const { name, shape, manifest, network, egress_allow, approvers, client_features } = server;
    const { changed_tools, unlisted_tools, listed_tools } = server;
    expect(inputOf(valuesOf(server))).toEqual({
      name,
      shape,
      manifest,
      network,
      egress_allow,
      approvers,
      require_passkey: true,
      client_features,
      changed_tools,
      unlisted_tools,
      listed_tools,
      start_seconds: null,
    });
    expect(problemsOf(valuesOf(server))).toEqual({});
  });
  it('keeps the secret of an image’s registry, and sends none where there is none', () => {
    const shape = { type: 'image' as const, image: 'a/b:1', registry_secret: '${REGISTRY}' };
    const values = valuesOf({ ...server, shape });
    expect(values.registrySecret).toBe('REGISTRY');
    expect(inputOf(values).shape).toEqual(shape);
    expect(inputOf({ ...values, registrySecret: ' ${REGISTRY} ' }).shape).toEqual(shape);
    const open = { type: 'image' as const, image: 'a/b:1' };
    expect(inputOf(valuesOf({ ...server, shape: open })).shape).toEqual(open);
  });
  it('sends no manifest where there was none', () => {
    const values = valuesOf({ ...server, manifest_source: 'none' });
    expect(inputOf(values)).not.toHaveProperty('manifest');
  });
  it('names its problems at its own fields', () => {
    const values = { ...newEntry, name: 'No', egress: 'x', manifestText: '{' };
    expect(Object.keys(problemsOf(values)).sort()).toEqual(['command', 'egress', 'manifestText', 'name']);
  });
  it('takes one listed tool a line, each once', () => {
    const values = { ...valuesOf(server), listedTools: ' read_file \n\nwrite_file' };
    expect(inputOf(values).listed_tools).toEqual(['read_file', 'write_file']);
    expect(hasField(values, fieldOf('listed_tools.1'))).toBe(true);
    expect(problemsOf({ ...values, listedTools: 'list\nlist' })).toEqual({
      listedTools: expect.stringMatching(/twice/),
    });
    expect(problemsOf({ ...values, listedTools: `list\n${'x'.repeat(257)}` })).toHaveProperty('listedTools');
  });
  it.each([
    ['shape.type', 'shapeType'],
    ['shape.args.1', 'args.1'],
    ['shape.image', 'image'],
    ['shape.registry_secret', 'registrySecret'],
    ['egress_allow.0', 'egress'],
    ['changed_tools', 'changedTools'],
    ['unlisted_tools', 'unlistedTools'],
    ['listed_tools.3', 'listedTools'],
    ['manifest.env.A.label', 'manifestText'],
    ['name', 'name'],
  ])('shows %s at %s', (path, field) => expect(fieldOf(path)).toBe(field));
});

describe('what a newer image changes', () => {
  const none = { added: [], removed: [], changed: [] };
  const change = {
    old_digest: 'sha256:a',
    new_digest: 'sha256:b',
    command_changed: true,
    env: { ...none, added: ['TOKEN'] },
    tool_scopes: { added: ['move'], removed: ['write'], changed: ['read'] },
  };
  it('is listed line by line, tools that are no longer gated among the first', () => {
    expect(imageChangeLines(change)).toEqual([
      'New digest: sha256:b',
      'The image runs a different command',
      'write is no longer gated: agents can call it without a grant',
      'Variable TOKEN: new',
      'Scope of the tool move: new',
      'Scope of the tool read: changed',
    ]);
  });
  it('is nothing for the same image', () => {
    expect(imageChangeLines({ ...change, new_digest: 'sha256:a' })).toEqual([]);
  });
});

describe('texts', () => {
  it('show what runs', () => {
    expect(commandText({ command: 'npx', args: ['-y', 'a b'] })).toBe('npx -y "a b"');
    expect(shapeText({ type: 'image', image: 'a/b:1' })).toBe('a/b:1');
  });
  it('say what a version changed', () => {
    expect(versionText({ event: 'workspace.mcp.registered', data: {} })).toEqual({
      version: '1',
      change: 'registered',
    });
    const data = { version: 2, changed: ['shape', 'approvers'] };
    expect(versionText({ event: 'workspace.mcp.updated', data })).toEqual({
      version: '2',
      change: 'what runs, who can grant',
    });
  });
  it('say where a secret is used, and which uses a restriction ends', () => {
    const agent = { id: 'a', name: 'scribe' };
    const attached = { kind: 'mcp_attachment' as const, agent, name: 'git', variable: 'T' };
    const own = { kind: 'agent_env' as const, agent, name: null, variable: 'T' };
    expect(placeOfUse(attached)).toBe('MCP server git, as T');
    expect([isReadableByAgent(attached), isReadableByAgent(own)]).toEqual([false, true]);
    expect([
      usersText({ agents: 0, mcp_servers: 0, channels: 0, embedding_providers: 0, repositories: 0 }),
      usersText({ agents: 1, mcp_servers: 0, channels: 0, embedding_providers: 0, repositories: 0 }),
    ]).toEqual(['no agent', '1 agent']);
    expect(usesCutOff([attached, own], null)).toEqual([]);
    expect(usesCutOff([attached, own], ['git'])).toEqual([]);
    expect(usesCutOff([attached, own], [])).toEqual([attached]);
  });
  it('of the platform itself end when the secret is for certain servers, not when no server may be given it', () => {
    const none = { agent: null, variable: null };
    const channel = { ...none, kind: 'channel_address' as const, name: 'reports' };
    const provider = { ...none, kind: 'embedding_provider' as const, name: null };
    expect(usesCutOff([channel, provider], [])).toEqual([]);
    expect(usesCutOff([channel, provider], ['git'])).toEqual([channel, provider]);
  });
  it('say that an entry’s image is pulled with a secret', () => {
    const pulled = { kind: 'registry_secret' as const, agent: null, name: 'boxed', variable: null };
    expect(placeOfUse(pulled)).toBe('credentials for the registry of its image');
    expect(isReadableByAgent(pulled)).toBe(false);
    const none = { agents: 0, mcp_servers: 0, channels: 0, embedding_providers: 0, repositories: 0 };
    expect(usersText({ ...none, mcp_servers: 1 })).toBe('1 catalog entry');
    expect(
      usersText({ agents: 1, mcp_servers: 2, channels: 1, embedding_providers: 1, repositories: 0 }),
    ).toBe('1 agent, 2 catalog entries, 1 channel, the embedding provider');
    expect(usersText({ ...none, channels: 2 })).toBe('2 channels');
    expect(usesCutOff([pulled], ['another'])).toEqual([pulled]);
    expect(usesCutOff([pulled], ['boxed'])).toEqual([]);
  });
});
