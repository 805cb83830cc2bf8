/**
 * Commands and addresses of servers that are imported, without what only the machine has
 * that they were written for.
 */
import { describe, expect, it } from '@jest/globals';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';
import { command, describeReadmes, mcpServers, remote } from '../../support/imported-readmes.ts';

const plan = (mcpServers: Record<string, unknown>) => planImport(JSON.stringify({ mcpServers }));

describe('the command of a server that is imported', () => {
  const runs = (command: string, ...args: string[]) => plan({ a: { command, args } }).servers[0];
  const npx = (...args: string[]) => ({ type: 'command', command: 'npx', args });
  const uvx = (...args: string[]) => ({ type: 'command', command: 'uvx', args });

  it.each([
    [['cmd', '/c', 'npx', '-y', 'x'], npx('-y', 'x')],
    [['cmd.exe', '/C', 'npx -y x'], npx('-y', 'x')],
    [['C:\\Program Files\\nodejs\\npx.cmd', '-y', 'x'], npx('-y', 'x')],
    [['/opt/homebrew/bin/uvx', 'x'], uvx('x')],
    [['/Users/me/.local/bin/uvx', 'x'], uvx('x')],
    [['npx.cmd', '-y', 'x'], npx('-y', 'x')],
    [['powershell', '-Command', 'npx -y x'], npx('-y', 'x')],
    [['bash', '-lc', "npx -y x --name 'two words'"], npx('-y', 'x', '--name', 'two words')],
    [['bunx', '-y', 'x', '--flag'], npx('-y', 'x', '--flag')],
    [['pnpm', 'dlx', 'x@1.2.3'], npx('-y', 'x@1.2.3')],
    [['npm', 'exec', '--', 'x', '-y'], npx('-y', 'x', '-y')],
    [['uv', 'tool', 'run', 'x'], uvx('x')],
    [['pipx', 'run', 'x'], uvx('x')],
    [['npx -y x', '--flag'], npx('-y', 'x', '--flag')],
  ])('%j runs without what only its machine has, and says so', ([command = '', ...args], shape) => {
    const planned = runs(command, ...args);
    expect(planned).toMatchObject({ problems: [], input: { shape } });
    expect(planned?.notes.length).toBeGreaterThan(0);
  });

  it.each([
    [['API_KEY=correcthorse MODE=fast npx -y x']],
    [['env', 'API_KEY=correcthorse', 'MODE=fast', 'npx', '-y', 'x']],
    [['bash', '-c', 'API_KEY=correcthorse MODE=fast npx -y x']],
  ])('%j has what it sets as variables', ([command = '', ...args]) => {
    const planned = runs(command, ...args);
    expect(planned).toMatchObject({ problems: [], input: { shape: npx('-y', 'x') } });
    expect(planned?.input.manifest?.env).toMatchObject({
      API_KEY: { kind: 'secret', required: true },
      MODE: { kind: 'value', default: 'fast' },
    });
    expect(JSON.stringify(planned)).not.toContain('horse');
  });

  it('keeps what only a shell understands with the shell', () => {
    expect(runs('sh', '-c', 'npx -y x | tee log')).toMatchObject({
      problems: [],
      input: { shape: { command: 'sh', args: ['-c', 'npx -y x | tee log'] } },
    });
  });

  it.each([
    [['/Users/me/server/run'], /^its command is a program of the machine/],
    [['./run.sh'], /^its command is a program of the machine/],
    [['${workspaceFolder}/bin/server'], /^its command is a program of the machine/],
    [['cmd', '/c', 'dir | more'], /^cmd is not there where sessions run/],
    [['sudo', 'npx', 'x'], /^sudo is not there/],
    [['node', 'build/index.js'], /^its node runs build\/index\.js, a file of the machine/],
    [['python3', 'server.py'], /^its python3 runs server\.py/],
    [['uv', 'run', 'x'], /^uv run starts a project/],
    [
      ['docker', 'exec', '-i', 'box', 'server'],
      /^no server has a container engine here, so "docker exec" cannot/,
    ],
    [['docker', 'run', '-i'], /^its docker run names no image$/],
    [['npm install -g x && x'], /^its arguments hold &&, which only a shell understands/],
    [['npx', '-y', 'x', '2>&1'], /^its arguments hold 2>&1, which only a shell understands/],
  ])('%j is refused, with what to do instead', ([command = '', ...args], why) => {
    expect(runs(command, ...args)?.problems).toEqual([expect.stringMatching(why)]);
  });

  it('mcp-remote is a remote server, with its headers', () => {
    const args = [
      '-y',
      'mcp-remote',
      'https://mcp.example/mcp',
      '--header',
      'Authorization:${AUTH_HEADER}',
      '--transport',
      'http-only',
    ];
    const env = { AUTH_HEADER: 'Bearer correcthorse' };
    const planned = plan({ a: { command: 'npx', args, env } }).servers[0];
    expect(planned).toMatchObject({
      problems: [],
      input: {
        shape: {
          type: 'remote',
          url: 'https://mcp.example/mcp',
          headers: [{ name: 'Authorization', prefix: '', variable: 'AUTH_HEADER' }],
        },
        manifest: { env: { AUTH_HEADER: { kind: 'secret', required: true } } },
      },
    });
    expect(JSON.stringify(planned)).not.toContain('horse');
    expect(runs('npx', 'mcp-remote', 'https://mcp.example/sse')?.problems).toEqual([
      expect.stringMatching(/^its transport is sse/),
    ]);
    expect(runs('npx', 'mcp-remote', 'https://mcp.example/mcp', '--transport', 'sse-only')?.problems).toEqual(
      [expect.stringMatching(/^its transport is sse/)],
    );
    expect(
      runs('npx', 'mcp-remote', 'https://mcp.example/mcp', '--static-oauth-client-info', '{}')?.problems,
    ).toEqual([
      expect.stringMatching(/^its mcp-remote is given --static-oauth-client-info/),
      expect.stringMatching(/./),
    ]);
  });
});

describe('a remote server that is imported', () => {
  const remote = (server: Record<string, unknown>) => plan({ a: server }).servers[0];
  const url = 'https://mcp.example/mcp';

  it.each(['url', 'serverUrl', 'httpUrl', 'server_url', 'uri', 'endpoint', 'baseUrl'])(
    'has its address as "%s"',
    (key) => {
      expect(remote({ [key]: url })).toMatchObject({
        problems: [],
        notes: [],
        input: { shape: { type: 'remote', url } },
      });
    },
  );

  it.each(['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote', 'HTTP'])(
    'speaks "%s"',
    (type) => {
      expect(remote({ type, url })?.problems).toEqual([]);
      expect(remote({ transport: { type }, url })?.problems).toEqual([]);
    },
  );

  it.each([
    [{ type: 'sse', url }, /^its transport is sse, .*: use its address for that/],
    [{ transport: 'sse', url }, /^its transport is sse/],
    [{ type: 'websocket', url }, /^its transport is websocket/],
    [{ url: 'https://mcp.example/sse' }, /^its transport is sse, by its url/],
    [{ url: 'https://mcp.example/${TENANT}/mcp' }, /^its url has the reference \$\{TENANT\}/],
    [{ url: 'https://<tenant>.example/mcp' }, /^its url is a placeholder/],
    [{ url: 'https://your-domain.example/mcp' }, /^its url is a placeholder/],
    [{ url: 'https://mcp.example/s/TOKEN/mcp' }, /^its url is a placeholder/],
    [{ url: 'https://mcp.example/s/xxxxxxxx/mcp' }, /^its url is a placeholder/],
    [{ url: 'https://mcp.example/[tenant id]/mcp' }, /^its url is a placeholder/],
    [{ url: 'https://mcp.example/:tenant/mcp' }, /^its url is a placeholder/],
    [{ url, serverUrl: 'https://other.example/mcp' }, /^it has several urls: keep one$/],
    [{ url, command: 'npx' }, /^it has a command and a url: keep one of them$/],
    [{ url, envFile: '.env' }, /^"envFile" is a file of the machine .*: write its variables into "env"$/],
  ])('%j is refused, with what to do instead', (server, why) => {
    expect(remote(server)?.problems).toEqual([expect.stringMatching(why)]);
  });

  it.each(['headers', 'http_headers', 'requestInit'])('has the headers of "%s"', (field) => {
    const headers = { Authorization: 'Bearer ${API_TOKEN}' };
    const given = field === 'requestInit' ? { headers, mode: 'cors' } : headers;
    expect(remote({ url, [field]: given })).toMatchObject({
      problems: [],
      notes: field === 'requestInit' ? ['"requestInit.mode" is not supported here and is ignored'] : [],
      input: {
        shape: { headers: [{ name: 'Authorization', prefix: 'Bearer ', variable: 'API_TOKEN' }] },
        manifest: { env: { API_TOKEN: { kind: 'secret', required: true } } },
      },
    });
  });

  it('may say that an address which ends in /sse speaks Streamable HTTP', () => {
    expect(remote({ type: 'http', url: 'https://mcp.example/sse' })?.problems).toEqual([]);
  });
});

describeReadmes('what only another client has', {
  'a server of OpenCode, with a variable of its surroundings': {
    text: {
      mcp: { own: { type: 'local', command: ['npx', 'own-mcp'], environment: { MODE: '{env:MY_MODE}' } } },
    },
    shape: command('npx', 'own-mcp'),
    variables: { MODE: 'secret!' },
  },
  'a server of a plugin of Claude Code': {
    text: mcpServers('db', { command: '${CLAUDE_PLUGIN_ROOT}/servers/db-server' }),
    problems: [/^its command is a program of the machine/],
  },
  'a program whose name is a variable': {
    text: mcpServers('own', { command: '${MCP_COMMAND}' }),
    problems: [/^its command has the reference \$\{MCP_COMMAND\}, which no client fills in here/],
  },
  'a project that npm starts': {
    text: mcpServers('own', { command: 'npm', args: ['run', 'start'], cwd: '/path/to/server' }),
    problems: [/^npm run starts a project of the machine .*: use its package with npx$/],
  },
  'Search Console, with the file of an account': {
    text: mcpServers('gsc', {
      ...{ command: 'npx', args: ['-y', 'search-console-mcp'] },
      env: { GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json' },
    }),
    shape: command('npx', '-y', 'search-console-mcp'),
    variables: { GOOGLE_APPLICATION_CREDENTIALS: 'secret!' },
    notes: [/^the value of GOOGLE_APPLICATION_CREDENTIALS is not kept: .* is a path of the machine/],
  },
  'a server in a request to a model': {
    text: [{ type: 'url', url: 'https://x.example/mcp', name: 'x' }],
    shape: remote('https://x.example/mcp'),
  },
  'an address with a fragment': {
    text: mcpServers('x', { url: 'https://x.example/mcp#tools', transportType: 'streamableHttp' }),
    problems: [/^its url has a fragment/],
  },
});
