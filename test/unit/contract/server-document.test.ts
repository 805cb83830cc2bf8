import { describe, expect, it } from '@jest/globals';
import { type McpServer, mcpServerInput } from '../../../contract/catalog.ts';
import { documentProblem, serverDocument, serverDocumentOf } from '../../../contract/server-document.ts';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';

const entry = (input: unknown): McpServer => ({
  ...mcpServerInput.parse(input),
  require_passkey: false,
  id: '0193b0c0-0000-7000-8000-000000000000',
  manifest: { env: {}, tool_scopes: {}, ...mcpServerInput.parse(input).manifest },
  manifest_source: 'pasted',
  version: 3,
  image_digest: null,
  image_command: null,
  image_volumes: null,
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: null,
  updated_at: '2026-01-01T00:00:00.000Z',
  updated_by: null,
});
const where = { slug: 'demo', publicUrl: 'https://agents.example.com' };
const command = (program: string, ...args: string[]) => ({
  type: 'command' as const,
  command: program,
  args,
});

describe('the document of an entry', () => {
  const env = {
    WEATHER_KEY: { kind: 'secret', label: 'Weather key', description: 'Key of the service', required: true },
    LOG_LEVEL: {
      kind: 'value',
      label: 'Log level',
      description: 'How much',
      default: 'info',
      enum: ['info', 'debug'],
    },
  };

  it.each([
    ['npm', command('npx', '-y', '@ada/weather@1.0.2', 'start', '--units', '{metric}')],
    ['npm without a version', command('npx', '-y', 'weather')],
    ['PyPI', command('uvx', 'weather@0.5.0', '--zone', 'UTC')],
    ['an image', { type: 'image', image: 'ghcr.io/ada/weather:1.0.2' }],
  ])('is imported as the same entry: %s', (_, shape) => {
    const tool_scopes = { delete: 'weather.write' };
    const manifest = { env, tool_scopes };
    const document = serverDocumentOf(entry({ name: 'weather', shape, manifest, network: 'none' }), where);
    expect(serverDocument.parse(document)).toEqual(document);
    expect(document).toMatchObject({ name: 'com.example.agents/weather', version: '3.0.0' });
    const [planned] = planImport(JSON.stringify(document)).servers;
    const input = { name: 'weather', shape, network: 'none', manifest: { tool_scopes } };
    expect(planned).toMatchObject({ problems: [], input });
    expect(planned?.input.manifest?.env).toEqual(env);
  });

  it.each([
    ['without a key', undefined, {}],
    [
      'with a key',
      [
        { name: 'Authorization', prefix: 'Bearer ', variable: 'WEATHER_KEY' },
        { name: 'X-Log', prefix: '', variable: 'LOG_LEVEL' },
      ],
      env,
    ],
  ])('is imported as the same entry: a remote %s', (_, headers, ofRemote) => {
    const shape = { type: 'remote', url: 'https://mcp.example/mcp', ...(headers && { headers }) };
    const tool_scopes = { delete: 'weather.write' };
    const manifest = { env: ofRemote, tool_scopes };
    const document = serverDocumentOf(entry({ name: 'weather', shape, manifest }), where);
    expect(serverDocument.parse(document)).toEqual(document);
    const [planned] = planImport(JSON.stringify(document)).servers;
    expect(planned).toMatchObject({
      problems: [],
      notes: [`"com.example.agents/weather" is no name that the catalog takes: it will be named "weather"`],
    });
    expect(planned?.input).toEqual({ name: 'weather', shape, manifest });
  });

  it('describes the headers of a remote as the registry does', () => {
    const headers = [{ name: 'Authorization', prefix: 'Bearer ', variable: 'WEATHER_KEY' }];
    const shape = { type: 'remote', url: 'https://mcp.example/mcp', headers };
    const { remotes } = serverDocumentOf(entry({ name: 'weather', shape, manifest: { env } }), where);
    const key = { description: 'Key of the service', isRequired: true, isSecret: true };
    expect(remotes).toEqual([
      {
        type: 'streamable-http',
        url: 'https://mcp.example/mcp',
        headers: [
          { name: 'Authorization', ...key, value: 'Bearer {WEATHER_KEY}', variables: { WEATHER_KEY: key } },
        ],
      },
    ]);
  });

  it('holds the scopes of tools, and nothing about private destinations and secrets of registries', () => {
    const shape = { type: 'image', image: 'ghcr.io/ada/weather:1', registry_secret: '${GHCR}' };
    const manifest = { tool_scopes: { delete: 'weather.write' } };
    const text = JSON.stringify(
      serverDocumentOf(entry({ name: 'weather', shape, manifest, egress_allow: ['10.0.0.7:5432'] }), where),
    );
    expect(text).toContain('"tool_scopes":{"delete":"weather.write"}');
    expect(text).not.toMatch(/GHCR|10\.0\.0\.7/);
  });

  it.each([
    ['https://agents.example.com:8443/', 'com.example.agents/x'],
    ['http://127.0.0.1:8080', 'localhost/x'],
    ['http://[::1]:8080', 'localhost/x'],
    [undefined, 'localhost/x'],
  ])('has a name of the installation at %s', (publicUrl, name) => {
    const shape = command('npx', '-y', 'x');
    expect(serverDocumentOf(entry({ name: 'x', shape }), { slug: 'demo', publicUrl }).name).toBe(name);
  });

  it.each([
    command('mcp-server-files', '/workspace'),
    command('npx', '-y', 'weather@^1.0.0'),
    command('npx', '-y', 'weather@1'),
    command('npx', '-y', 'weather@latest'),
    command('npx', '-y', '-p', 'weather', 'start'),
    command('uvx', '--from', 'weather', 'serve'),
    command('uvx', '--python', '3.12', 'weather'),
    command('uvx', 'weather[all]'),
  ])('does not exist for %j', (shape) => {
    expect(documentProblem(shape)).toMatch(/server.json cannot describe/);
    expect(() => serverDocumentOf(entry({ name: 'x', shape }), where)).toThrow('no document');
  });
});
