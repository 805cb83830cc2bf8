import { describe, expect, it } from '@jest/globals';
import { availabilityOf } from '../../../contract/available-runs.ts';
import { entryNameOf, planImport } from '../../../web/src/pages/catalog/import-plan.ts';
import { nameLooksSecret, valueLooksSecret } from '../../../web/src/text/secret-looks.ts';

const plan = (mcpServers: Record<string, unknown>, taken: string[] = []) =>
  planImport(JSON.stringify({ mcpServers }), { taken });

describe('the import of a desktop configuration', () => {
  it('maps command, args and env; a secret-looking value is nowhere in the plan', () => {
    const planned = plan({
      github: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: { GITHUB_TOKEN: 'ghp_abcdefghijklmnop0123', LOG_LEVEL: 'info' },
      },
    });
    expect(planned.problem).toBeNull();
    const [server] = planned.servers;
    expect(server?.problems).toEqual([]);
    expect(server?.input).toEqual({
      name: 'github',
      shape: { type: 'command', command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'] },
      manifest: {
        env: {
          GITHUB_TOKEN: { kind: 'secret', label: 'Github token', required: true },
          LOG_LEVEL: { kind: 'value', label: 'Log level', default: 'info' },
        },
        tool_scopes: {},
      },
    });
    expect(JSON.stringify(planned)).not.toContain('ghp_');
  });

  it('prefers the person’s choice over its guess', () => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'x', env: { MODE: 'fast', API_KEY: 'k' } } } });
    const { servers } = planImport(text, {
      kinds: { 'a / MODE': 'secret', 'a / API_KEY': 'value' },
    });
    expect(servers[0]?.variables).toEqual([
      { name: 'MODE', kind: 'secret', storedDefault: null, isRequired: true },
      { name: 'API_KEY', kind: 'value', storedDefault: 'k', isRequired: false },
    ]);
  });

  it.each([
    ['mcpServers', { mcpServers: { a: { command: 'x' } } }],
    ['servers of an editor', { servers: { a: { command: 'x' } }, inputs: [] }],
    ['servers within mcp', { mcp: { servers: { a: { command: 'x' } } } }],
    ['the map alone', { a: { command: 'x' } }],
  ])('finds servers in %s', (_, value) => {
    expect(planImport(JSON.stringify(value)).servers.map(({ key }) => key)).toEqual(['a']);
  });

  it('accepts a fragment as shown in a README', () => {
    expect(planImport('"mcpServers": { "a": { "command": "x" } },').servers).toHaveLength(1);
  });

  it.each([
    ['nothing like JSON', 'npx foo', /Invalid JSON/],
    ['a list', '[]', /Expected an object/],
    ['an object without servers', '{"a": 1}', /No "mcpServers"/],
    ['a server without a name', '{"command": "x"}', /has no name/],
    ['an empty map', '{"mcpServers": {}}', /No servers/],
  ])('says why there is nothing in %s', (_, text, why) => {
    expect(planImport(text).problem).toMatch(why);
  });

  it('says what has no network here, and accepts it without one when that is chosen', () => {
    const text = JSON.stringify({ mcpServers: { far: { command: 'x' }, near: { command: 'x' } } });
    const worker = { runtime: 'process', sandbox: true, internet: false, commands: null } as const;
    const here = availabilityOf('process', [{ ...worker, missing_commands: [], limits: [], claude: false }]);
    const { servers } = planImport(text, { here, withoutNetwork: new Set(['near']) });
    expect(servers[0]?.problems).toEqual([expect.stringMatching(/it cannot run here: .*slirp4netns/)]);
    expect(servers[1]).toMatchObject({ problems: [], input: { network: 'none' } });
  });

  it('maps a url to a remote server, and refuses one that carries a secret', () => {
    const { servers } = plan({
      open: { type: 'http', url: 'https://mcp.example/mcp' },
      key: { url: 'https://mcp.example/mcp?api_key=x' },
    });
    expect(servers[0]?.input.shape).toEqual({ type: 'remote', url: 'https://mcp.example/mcp' });
    expect(servers[0]?.problems).toEqual([]);
    expect(servers[1]?.problems).toEqual([expect.stringMatching(/url may contain a secret/)]);
  });

  it('refuses a query of many letters at once, which could be a key', () => {
    const { servers } = plan({ long: { url: `https://mcp.example/mcp?k=${'a'.repeat(60)}1` } });
    expect(servers[0]?.problems).toEqual([expect.stringMatching(/url may contain a secret/)]);
  });

  it('renames invalid entry names, and names what it ignores', () => {
    const [server] = plan({ 'My Server': { command: 'npx', disabled: true, cwd: '/tmp' } }).servers;
    expect(server?.input.name).toBe('my-server');
    expect(server?.notes).toEqual([
      '"My Server" is no name that the catalog takes: it will be named "my-server"',
      '"disabled" is not supported here and is ignored',
      '"cwd" is not supported here and is ignored',
    ]);
  });

  it('refuses a name that looks like one of the catalog, as saving does', () => {
    const { servers } = plan({ 'files-l': { command: 'npx' }, rnail: { command: 'npx' } }, [
      'files-1',
      'mail',
    ]);
    expect(servers.map(({ problems }) => problems)).toEqual([
      [
        'the catalog already has "files-1", which "files-l" looks like; rename it in the text, or remove the other',
      ],
      [
        'the catalog already has "mail", which "rnail" looks like; rename it in the text, or remove the other',
      ],
    ]);
  });

  it('names every problem: taken and duplicate names, no command, wrong types, reserved names', () => {
    const { servers } = plan(
      {
        files: { command: 'x' },
        a: { command: 'x' },
        A: { command: 'x' },
        nothing: {},
        text: 'x',
        list: { command: 'x', args: [1], env: ['A'] },
        env: { command: 'x', env: { A: { deep: 1 } } },
        platform: { command: 'x' },
        '!!': { command: 'x' },
      },
      ['files'],
    );
    const problems = Object.fromEntries(servers.map((server) => [server.key, server.problems.join('; ')]));
    expect(problems).toEqual({
      files: expect.stringMatching(/already has "files"/),
      a: '',
      A: expect.stringMatching(/already has "a"/),
      nothing: expect.stringMatching(/needs a command or a url/),
      text: expect.stringMatching(/must be an object/),
      list: expect.stringMatching(/env must be an object of strings; args must be a list of strings/),
      env: expect.stringMatching(/env.A must be a string/),
      platform: expect.stringMatching(/built-in server/),
      '!!': expect.stringMatching(/name must be/),
    });
  });

  it.each([
    [['--api-key', 'abc'], 2],
    [['--token=abc'], 1],
    [['postgres://me:pw@db.example/x'], 1],
    [['-y', 'pkg', 'sk-abcdef'], 3],
    [['${API_KEY}'], 1],
  ])('refuses the argument of %j that looks like a secret, without repeating it', (args, at) => {
    const [server] = plan({ a: { command: 'x', args } }).servers;
    expect(server?.problems).toEqual([
      expect.stringMatching(new RegExp(`^argument ${at} looks like a secret`)),
    ]);
    expect(server?.problems.join()).not.toContain('abc');
  });

  it.each([
    [['-y', '@modelcontextprotocol/server-filesystem', '/workspace']],
    [['--port', '8080']],
    [['--endpoint', '/mcp', '--from', 'mcp>=1.0', 'https://api.example.com/home/']],
    [['--cache', '/tmp/cache', '.']],
  ])('accepts %j', (args) => {
    expect(plan({ a: { command: 'npx', args } }).servers[0]?.problems).toEqual([]);
  });

  it.each([
    [['-y', '@modelcontextprotocol/server-filesystem', '/home/me/Documents'], 3],
    [['--config=~/config.json'], 1],
    [['--config', './config.json'], 2],
    [['D:\\data'], 1],
    [['--db', 'sqlite:///path/to/data.db'], 2],
    [['%APPDATA%/x'], 1],
    [['${HOME}/x'], 1],
    [['--dir', '${userHome}'], 2],
    [['-c', 'cd /Users/me/server && npx -y x'], 2],
  ])('refuses the argument of %j that only the machine of the text has', (args, at) => {
    const { problems = [] } = plan({ a: { command: 'sh', args } }).servers[0] ?? {};
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^argument ${at} names a file or folder .*: write a path`)),
    ]);
  });

  it.each([
    [['--port', '${PORT}'], /^argument 2 has the reference \$\{PORT\}, .*: write its value in its place$/],
    [['--url', '<your-url>'], /^argument 2 is a placeholder \(<your-url>\): write your own/],
    [['--project=YOUR_PROJECT'], /^argument 1 is a placeholder/],
  ])('refuses what only a client fills in: %j', (args, why) => {
    expect(plan({ a: { command: 'npx', args } }).servers[0]?.problems).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    [['TOKEN=correcthorse'], 1],
    [['--header', 'Authorization: Bearer correcthorse'], 2],
    [['x-api-key:correcthorse'], 1],
    [['https://mcp.example/sse?apiKey=correcthorse'], 1],
    [['-c', 'API_KEY=correcthorse npx -y x | cat'], 2],
    [['-c', 'server --password correcthorse'], 2],
    [['$NOTION_TOKEN'], 1],
  ])('refuses a secret within an argument: %j', (args, at) => {
    const { problems = [] } = plan({ a: { command: 'sh', args } }).servers[0] ?? {};
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^argument ${at} looks like a secret`))]);
    expect(problems.join()).not.toContain('horse');
  });
});

describe('what looks secret', () => {
  it.each([
    'API_KEY',
    'GITHUB_TOKEN',
    'DB_PASSWORD',
    'apiKey',
    'SLACK_BOT_TOKEN',
    'AUTH',
    'SECRETS',
    '--client-secret',
  ])('by its name: %s', (name) => expect(nameLooksSecret(name)).toBe(true));
  it.each(['LOG_LEVEL', 'REGION', 'PATH_TO_FILES', 'PORT', 'KEYBOARD', 'MONKEY', 'PASSENGERS', 'AUTHOR'])(
    'and not: %s',
    (name) => expect(nameLooksSecret(name)).toBe(false),
  );
  it.each(['ghp_x', 'eyJhbGciOi', 'https://u:p@h', '${input:key}', '4f9a8b7c6d5e4f3a2b1c0d9e'])(
    'by its value: %s',
    (value) => expect(valueLooksSecret(value)).toBe(true),
  );
  it.each([
    'info',
    '/usr/local/share',
    'https://api.example.com/v1',
    '@scope/some-long-package-name',
    'eu-west-1',
  ])('and not: %s', (value) => expect(valueLooksSecret(value)).toBe(false));
});

describe('the name of an entry', () => {
  it.each([
    ['Brave Search', 'brave-search'],
    ['camelCase', 'camel-case'],
    ['GitHub', 'github'],
    ['brave_search', 'brave-search'],
    ['MCP_DOCKER', 'mcp-docker'],
    ['awslabs.aws-documentation-mcp-server', 'awslabs-aws-documentation-mcp'],
    ['@scope/server', 'scope-server'],
    ['Müller_Größe', 'muller-grosse'],
    ['ＧｉｔＨｕｂ', 'github'],
    ['Погода', 'server'],
    ['🚀', 'server'],
    [`${'a'.repeat(31)}-b`, 'a'.repeat(31)],
  ])('made from %j is %j', (key, name) => expect(entryNameOf(key)).toBe(name));
});
