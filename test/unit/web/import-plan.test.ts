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

  it('renames invalid entry names, and names what it ignores', () => {
    const [server] = plan({ 'My Server': { command: 'npx', disabled: true, cwd: '/tmp' } }).servers;
    expect(server?.input.name).toBe('my-server');
    expect(server?.notes).toEqual([
      '"My Server" is no name that the catalog takes: it will be named "my-server"',
      '"disabled" is not supported here and is ignored',
      '"cwd" is not supported here and is ignored',
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

describe('the value of a variable that is imported', () => {
  const env = (text: string, name = 'DETAIL') => {
    const planned = plan({ a: { command: 'npx', env: { [name]: text } } }).servers[0];
    return { ...planned?.variables[0], notes: planned?.notes };
  };

  it.each([
    ['${DETAIL:-brief}', 'brief', false],
    ['https://${HOST:-api.example.com}/v1', 'https://api.example.com/v1', false],
    ['', null, false],
    ['${DETAIL:-}', null, false],
    ['<your region>', null, true],
    ['xxx', null, true],
    ['/Users/me/data.json', null, true],
    ['http://localhost:3000', null, true],
    ['0.0.0.0', '0.0.0.0', false],
    ['yourself', 'yourself', false],
  ])('%j has the default %j', (text, storedDefault, isRequired) => {
    expect(env(text)).toMatchObject({ kind: 'value', storedDefault, isRequired });
  });

  it.each([
    '${DETAIL}',
    '$DETAIL',
    '%DETAIL%',
    '${env:DETAIL}',
    '${input:detail}',
    'postgres://me:${PW}@db.example/x',
    '{"Authorization": "Bearer abc"}',
    '{"headers":{"x-api-key":"correcthorse"}}',
    'Server=db;User=me;Password=correcthorse',
    'https://api.example.com/v1?token=correcthorse',
    '${DETAIL:-ghp_correcthorse}',
  ])('%j is for a secret, and is not kept', (text) => {
    const planned = env(text);
    expect(planned).toMatchObject({ kind: 'secret', storedDefault: null, isRequired: true });
    expect(JSON.stringify(planned)).not.toMatch(/horse|abc/);
  });

  it('may be left empty where its reference says so', () => {
    expect(env('${API_KEY:-}', 'API_KEY')).toMatchObject({ kind: 'secret', isRequired: false });
  });

  it('says what of it is not kept', () => {
    expect(env('${API_KEY:-abc}', 'API_KEY').notes).toEqual([
      'the default of API_KEY is not kept, since it may be a secret',
    ]);
    expect(env('https://${HOST}/v1').notes).toEqual([
      'the value of DETAIL is to be given as a whole, in the form that the text has',
    ]);
    expect(env('/Users/me/data.json').notes).toEqual([
      'the value of DETAIL is not kept: /Users/me/data.json is a path of the machine that the text was written for',
    ]);
  });

  it('is what the input of an editor says', () => {
    const server = {
      command: 'npx',
      env: { REGION: '${input:region}', SIZE: '${input:size}', PAT: '${input:pat}' },
    };
    const inputs = [
      { id: 'region', type: 'pickString', description: 'Where', options: ['eu', 'us'], default: 'eu' },
      { id: 'size', type: 'promptString', description: 'How large' },
      { id: 'pat', type: 'promptString' },
      'x',
    ];
    const [planned] = planImport(JSON.stringify({ servers: { a: server }, inputs })).servers;
    expect(planned?.input.manifest?.env).toEqual({
      REGION: { kind: 'value', label: 'Region', description: 'Where', enum: ['eu', 'us'], default: 'eu' },
      SIZE: { kind: 'value', label: 'Size', description: 'How large', required: true },
      PAT: { kind: 'secret', label: 'Pat', required: true },
    });
    expect(planned?.problems).toEqual([]);
  });

  it('is asked for where a person says that a reference is for no secret', () => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'npx', env: { DETAIL: '${DETAIL}' } } } });
    expect(planImport(text, { kinds: { 'a / DETAIL': 'value' } }).servers[0]?.variables).toEqual([
      { name: 'DETAIL', kind: 'value', storedDefault: null, isRequired: true },
    ]);
  });

  it.each([
    ['PATH', '/usr/local/bin'],
    ['NODE_OPTIONS', '--import=x'],
    ['NPM_CONFIG_REGISTRY', 'https://packages.example'],
    ['UV_INDEX_URL', 'https://packages.example'],
  ])('is refused in the plan, as saving would, where it decides which code runs: %s', (name, text) => {
    expect(plan({ a: { command: 'npx', env: { [name]: text } } }).servers[0]?.problems).toEqual([
      `${name} decides which code a program loads; a manifest may not set it: remove it from the text`,
    ]);
  });

  it.each([
    'LOG_LEVEL',
    'FASTMCP_LOG_LEVEL',
    'npm_config_loglevel',
    'NPM_CONFIG_LOGLEVEL',
    'UV_NO_PROGRESS',
    'PIP_QUIET',
  ])('is taken where it only decides what is logged: %s', (name) => {
    expect(plan({ a: { command: 'npx', env: { [name]: 'error' } } }).servers[0]?.problems).toEqual([]);
  });
});

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
  ])('%j is refused, with what to do instead', ([command = '', ...args], why) => {
    expect(runs(command, ...args)?.problems).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    [['-i', '--rm', '-e', 'MODE=fast', 'ada/server:1']],
    [['--rm', '-i', '--env=MODE=fast', 'ada/server:1']],
    [['-ie', 'MODE=fast', '--rm', 'ada/server:1']],
    [['-i', '--rm', '-eMODE=fast', '--', 'ada/server:1']],
    [['-i', '--rm=true', '--name', 'box', '--pull', 'always', '-e', 'MODE=fast', 'ada/server:1']],
  ])('docker run %j is the image with its variable', (args) => {
    expect(runs('docker', 'run', ...args)).toMatchObject({
      problems: [],
      input: {
        shape: { type: 'image', image: 'ada/server:1' },
        manifest: { env: { MODE: { kind: 'value', default: 'fast' } } },
      },
    });
  });

  it('says what of docker run is left out', () => {
    const server = {
      command: 'podman',
      args: ['run', '-i', '--name', 'box', '--pull=always', 'ada/server'],
      env: { LOST: 'x' },
    };
    expect(plan({ a: server }).servers[0]).toMatchObject({
      problems: [],
      notes: [
        'it runs as an image in place of podman run',
        '--name box is left out: the platform names containers',
        '--pull always is left out: sessions run the image that is read when the entry is saved',
        'LOST is left out: no -e gives it to the container',
      ],
    });
  });

  it.each([
    ['-t', ['-it', 'ada/server']],
    ['-v', ['-i', '-v', '/Users/me:/data', 'ada/server']],
    ['--volume', ['--volume=/Users/me:/data', 'ada/server']],
    ['-p', ['-i', '-p', '8080:8080', 'ada/server']],
    ['--network', ['--network', 'host', 'ada/server']],
    ['--entrypoint', ['--entrypoint=sh', 'ada/server']],
    ['--privileged', ['--privileged', 'ada/server']],
    ['--memory', ['--memory', '1g', 'ada/server']],
    ['--rm', ['--rm=false', 'ada/server']],
    ['-d', ['-d', 'ada/server']],
  ])('docker run with %s is refused for it, and says what to do', (flag, args) => {
    const planned = runs('docker', 'run', ...args);
    expect(planned?.problems).toEqual([
      expect.stringMatching(new RegExp(`^its container is given ${flag}: .+`)),
    ]);
    expect(planned?.input.shape).toEqual({ type: 'image', image: 'ada/server' });
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
    [{ url, serverUrl: 'https://other.example/mcp' }, /^it has several urls: keep one$/],
    [{ url, command: 'npx' }, /^it has a command and a url: keep one of them$/],
    [{ url, envFile: '.env' }, /^"envFile" is a file of the machine .*: write its variables into "env"$/],
  ])('%j is refused, with what to do instead', (server, why) => {
    expect(remote(server)?.problems).toEqual([expect.stringMatching(why)]);
  });

  it('may say that an address which ends in /sse speaks Streamable HTTP', () => {
    expect(remote({ type: 'http', url: 'https://mcp.example/sse' })?.problems).toEqual([]);
  });
});

describe('JSON as people paste it', () => {
  const keys = (text: string) => planImport(text).servers.map(({ key }) => key);
  const json = '{ "mcpServers": { "a": { "command": "npx" } } }';

  it.each([
    ['in a code block', `\`\`\`json\n${json}\n\`\`\``],
    ['in a code block with text around it', `Add this:\n\n~~~\n${json}\n~~~\nand restart.`],
    ['in a quoted block', `> \`\`\`json\n${json}\n> \`\`\``],
    ['with the fence of its start alone', `\`\`\`json\n${json}`],
    [
      'with comments',
      `// first\n/* then */ { "mcpServers": { // here\n "a": { "command": "npx" /* , */ } } } // last`,
    ],
    ['with commas too many', '{ "mcpServers": { "a": { "command": "npx", "args": ["-y",], }, }, }'],
    ['with a comma behind a comment', '{ "mcpServers": { "a": { "command": "npx", // last\n } } }'],
    [
      'as a fragment with a comment before it',
      '// settings\n"mcpServers": { "a": { "command": "npx" } }, // more',
    ],
    ['with the blanks of a web page', json.replaceAll(' ', '\u00a0')],
    ['with a mark of the byte order', `\uFEFF${json}`],
    ['as a server with its name in it', '{ "name": "a", "command": "npx" }'],
    ['as a list', '[{ "name": "a", "command": "npx" }]'],
    [
      'as the settings of an editor',
      '{ "editor.fontSize": 12, "mcp": { "servers": { "a": { "command": "npx" } } } }',
    ],
    ['with the key of Amp', '{ "amp.mcpServers": { "a": { "command": "npx" } } }'],
  ])('is read %s', (_, text) => {
    expect(planImport(text).problem).toBeNull();
    expect(keys(text)).toEqual(['a']);
  });

  it('keeps what only looks like a comment or a spare comma', () => {
    const text =
      '{ "mcpServers": { "a": { "command": "npx", "args": ["https://x.example//y", ",]", "/* */", "\\"//"] } } }';
    expect(planImport(text).servers[0]?.input.shape).toMatchObject({
      args: ['https://x.example//y', ',]', '/* */', '"//'],
    });
  });

  it.each([
    [
      'a key that is there twice',
      '{ "mcpServers": { "a": { "command": "npx" }, "a": { "command": "uvx" } } }',
      /^"mcpServers\.a" is there twice/,
    ],
    [
      'a variable that is there twice',
      '{"a":{"command":"npx","env":{"X":"1","\\u0058":"2"}}}',
      /^"a\.env\.X" is there twice/,
    ],
    ['two code blocks', `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n${json}\n\`\`\``, /several code blocks: paste one/],
    ['TOML', '[mcp_servers.a]\ncommand = "npx"', /Invalid JSON.*looks like TOML: paste the JSON/],
    ['a command', 'claude mcp add a -- npx -y x', /Invalid JSON.*looks like a command: paste the JSON/],
    ['a comment without an end', '{ /* "a": 1 }', /Invalid JSON/],
  ])('is refused with %s', (_, text, why) => {
    expect(planImport(text).problem).toMatch(why);
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
    [`${'a'.repeat(31)}-b`, 'a'.repeat(31)],
  ])('made from %j is %j', (key, name) => expect(entryNameOf(key)).toBe(name));
});
