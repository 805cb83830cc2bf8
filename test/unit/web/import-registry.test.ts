import { describe, expect, it } from '@jest/globals';
import { availabilityOf } from '../../../contract/available-runs.ts';
import { type ImportOptions, planImport } from '../../../web/src/pages/catalog/import-plan.ts';

const stdio = { transport: { type: 'stdio' } };
const server = (rest: Record<string, unknown>) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.ada/weather-reports',
  description: 'Weather',
  version: '1.0.2',
  ...rest,
});
const plan = (document: unknown, options?: ImportOptions) => planImport(JSON.stringify(document), options);
const only = (rest: Record<string, unknown>, options?: ImportOptions) => {
  const [planned] = plan(server(rest), options).servers;
  if (planned === undefined) {
    throw new Error('nothing is planned');
  }
  return planned;
};
const npm = { registryType: 'npm', identifier: '@ada/weather', version: '1.0.2', ...stdio };

describe('the import of a document of the MCP registry', () => {
  it('runs an npm package with npx, at its version, with its arguments and variables', () => {
    const planned = only({
      packages: [
        {
          ...npm,
          runtimeHint: 'npx',
          runtimeArguments: [{ type: 'named', name: '-y' }],
          packageArguments: [
            { type: 'positional', value: 'start' },
            { type: 'named', name: '--units', default: 'metric', choices: ['metric', 'imperial'] },
            {
              type: 'named',
              name: '--region',
              value: '{country}-1',
              variables: { country: { default: 'eu' } },
            },
          ],
          environmentVariables: [
            {
              name: 'WEATHER_KEY',
              description: 'Key of the service',
              isRequired: true,
              isSecret: true,
              default: 'k',
            },
            { name: 'LOG_LEVEL', default: 'info', choices: ['info', 'debug'] },
          ],
        },
      ],
    });
    expect(planned.problems).toEqual([]);
    expect(planned.key).toBe('io.github.ada/weather-reports');
    expect(planned.input).toEqual({
      name: 'weather-reports',
      shape: {
        type: 'command',
        command: 'npx',
        args: ['-y', '@ada/weather@1.0.2', 'start', '--units', 'metric', '--region', 'eu-1'],
      },
      manifest: {
        env: {
          WEATHER_KEY: {
            kind: 'secret',
            label: 'Weather key',
            description: 'Key of the service',
            required: true,
          },
          LOG_LEVEL: { kind: 'value', label: 'Log level', default: 'info', enum: ['info', 'debug'] },
        },
        tool_scopes: {},
      },
    });
  });

  it.each([
    ['pypi', { registryType: 'pypi', identifier: 'weather', version: '0.5.0' }, 'uvx', ['weather@0.5.0']],
    ['npm without a version', { registryType: 'npm', identifier: 'weather' }, 'npx', ['-y', 'weather']],
  ])('runs %s', (_, given, command, args) => {
    expect(only({ packages: [{ ...given, ...stdio }] }).input.shape).toEqual({
      type: 'command',
      command,
      args,
    });
  });

  it.each([
    [{ identifier: 'ghcr.io/ada/weather:1.0.2' }, 'ghcr.io/ada/weather:1.0.2'],
    [
      { identifier: 'ada/weather', version: '1.0.2', registryBaseUrl: 'https://docker.io' },
      'docker.io/ada/weather:1.0.2',
    ],
    [{ identifier: 'registry.test:5000/ada/weather', version: '2' }, 'registry.test:5000/ada/weather:2'],
    [
      { identifier: `ada/weather@sha256:${'a'.repeat(64)}`, version: '2' },
      `ada/weather@sha256:${'a'.repeat(64)}`,
    ],
  ])('runs an image: %j', (given, image) => {
    const planned = only({ packages: [{ registryType: 'oci', ...stdio, ...given }] });
    expect(planned.input.shape).toEqual({ type: 'image', image });
    expect(planned.problems).toEqual([]);
  });

  it('puts the defaults of an address in, and no secret one', () => {
    const url = 'https://{region}.mcp.example/mcp';
    const at = (region: object) =>
      only({ remotes: [{ type: 'streamable-http', url, variables: { region } }] });
    expect(at({ default: 'eu' })).toMatchObject({
      problems: [],
      input: { shape: { url: 'https://eu.mcp.example/mcp' } },
    });
    expect(at({ default: 'eu' }).notes).toContain('{region} in its url is taken to be its default, eu');
    expect(at({ default: 'hush', isSecret: true }).problems).toEqual([
      expect.stringMatching(/^its url has variables/),
    ]);
    expect(at({}).problems).toEqual([expect.stringMatching(/^its url has variables/)]);
  });

  it('takes the remote of a server', () => {
    const planned = only({ remotes: [{ type: 'streamable-http', url: 'https://mcp.example/mcp' }] });
    expect(planned).toMatchObject({
      input: { shape: { type: 'remote', url: 'https://mcp.example/mcp' } },
      problems: [],
    });
  });

  it('takes the first way that runs here, and names the others', () => {
    const worker = { runtime: 'process', sandbox: true, internet: true, commands: null } as const;
    const here = availabilityOf('process', [{ ...worker, missing_commands: [], limits: [], claude: false }]);
    const packages = [{ registryType: 'oci', identifier: 'ghcr.io/ada/weather:1', ...stdio }, npm];
    const planned = only({ packages, remotes: [{ type: 'sse', url: 'https://mcp.example/sse' }] }, { here });
    expect(planned.input.shape).toMatchObject({ type: 'command', command: 'npx' });
    expect(planned.problems).toEqual([]);
    expect(planned.notes).toContain(
      'imported as the npm package @ada/weather; it is also offered as the oci package ghcr.io/ada/weather:1, the remote https://mcp.example/sse',
    );
  });

  it.each([
    ['a document', server({ packages: [npm] })],
    ['an answer of the registry', { server: server({ packages: [npm] }), _meta: {} }],
    ['its list', { servers: [{ server: server({ packages: [npm] }), _meta: {} }], metadata: { count: 1 } }],
    ['a list of documents', { servers: [server({ packages: [npm] })] }],
  ])('is found in %s', (_, document) => {
    expect(plan(document).servers.map(({ input }) => input.name)).toEqual(['weather-reports']);
  });

  it.each([
    ['no way to run', {}, /names no package/],
    ['another kind of package', { packages: [{ ...npm, registryType: 'nuget' }] }, /type nuget cannot run/],
    [
      'a name of every object',
      { packages: [{ ...npm, registryType: 'constructor' }] },
      /type constructor cannot run/,
    ],
    ['another transport', { packages: [{ ...npm, transport: { type: 'sse' } }] }, /speaks sse/],
    ['an older form', { packages: [{ registry_type: 'npm', identifier: 'x' }] }, /registryType: /],
    [
      'a remote with server-sent events',
      { remotes: [{ type: 'sse', url: 'https://x.example/' }] },
      /speaks sse/,
    ],
    [
      'an address with variables',
      { remotes: [{ type: 'streamable-http', url: 'https://{tenant}.example/' }] },
      /url has variables/,
    ],
    [
      'arguments of an image',
      {
        packages: [
          {
            registryType: 'oci',
            identifier: 'a/b',
            ...stdio,
            packageArguments: [{ type: 'positional', value: 'x' }],
          },
        ],
      },
      /images run without any/,
    ],
  ])('is refused with %s', (_, rest, why) => {
    const planned = only({ packages: [], ...rest });
    expect(planned.problems.join('; ')).toMatch(why);
  });

  it.each([
    ['marked so', { type: 'named', name: '--key', isSecret: true, value: 'hush-hush' }],
    ['optional', { type: 'named', name: '--key', isSecret: true, default: 'hush-hush' }],
    [
      'in a variable',
      {
        type: 'named',
        name: '--with',
        value: 'k={k}',
        variables: { k: { isSecret: true, default: 'hush-hush' } },
      },
    ],
    ['by its form', { type: 'positional', value: 'sk-hush-hush' }],
    ['of an option for npx', { type: 'named', name: '--token', value: 'hush-hush' }, 'runtimeArguments'],
  ])('refuses a secret argument, %s, without repeating it', (_, argument, list = 'packageArguments') => {
    const planned = only({ packages: [{ ...npm, [list]: [argument] }] });
    expect(planned.problems.join('; ')).toMatch(/secret/);
    expect(planned.problems.join('; ')).not.toContain('hush');
  });

  it('asks for what has no value, and leaves out what is optional', () => {
    const planned = only({
      packages: [
        {
          ...npm,
          packageArguments: [
            { type: 'positional', valueHint: 'folder', isRequired: true },
            { type: 'named', name: '--port' },
            { type: 'named', name: '--at', value: '{place}', variables: { place: {} } },
          ],
        },
      ],
    });
    expect(planned.problems).toEqual([
      'its argument folder needs a value: add it to the text as "value"',
      'its argument --at needs a value: add it to the text as "value", empty for a switch',
    ]);
    expect(planned.notes).toContain('optional arguments are left out: --port');
  });

  it('keeps no secret of a variable, whatever marks it', () => {
    const planned = only({
      packages: [
        {
          ...npm,
          environmentVariables: [
            {
              name: 'HEADER',
              value: 'Bearer {token}',
              variables: { token: { isSecret: true, default: 'hush' } },
            },
            { name: 'API_KEY', default: 'hush' },
            { name: 'PLAIN', value: 'ghp_hushhushhushhushhush' },
            { name: 'OPEN', isSecret: true, choices: ['hush'] },
          ],
        },
      ],
    });
    expect(planned.variables.map(({ kind }) => kind)).toEqual(['secret', 'secret', 'secret', 'secret']);
    expect(JSON.stringify(planned.input)).not.toContain('hush');
    expect(planned.notes).toContain(
      'the secret of HEADER holds its whole value, which has the form Bearer {token}',
    );
  });

  it.each([
    [{ version: 'npm:evil@1.0.0' }],
    [{ version: 'git+https://evil.example/x.git' }],
    [{ version: '^1.0.0' }],
    [{ version: 'latest' }],
    [{ identifier: 'https://evil.example/x.tgz' }],
    [{ identifier: './x' }],
    [{ identifier: '--call=evil' }],
    [{ identifier: 'good evil' }],
    [{ registryType: 'pypi', identifier: 'good', version: ' https://evil.example/x.whl' }],
    [{ registryType: 'pypi', identifier: 'git+https://evil.example/x', version: undefined }],
    [{ registryType: 'pypi', identifier: '--from', version: undefined }],
    [{ runtimeArguments: [{ type: 'positional', value: 'evil' }] }],
    [{ runtimeArguments: [{ type: 'named', name: '--package', value: 'evil' }] }],
    [{ runtimeArguments: [{ type: 'named', name: '--registry', value: 'https://evil.example' }] }],
  ])('is refused where something else than the package would run: %j', (given) => {
    const planned = only({ packages: [{ ...npm, ...given }] });
    expect(planned.problems.join('; ')).toMatch(/do not name one package|is not an exact one/);
  });

  it('says what decides which package it is: no version, and another registry', () => {
    const { notes, problems } = only({
      packages: [{ ...npm, version: undefined, registryBaseUrl: 'https://packages.example' }],
    });
    expect(problems).toEqual([]);
    expect(notes).toContain('it names no version: each start may run another one');
    expect(notes).toContain(
      'it names the registry https://packages.example; packages come from the one that the operator set',
    );
  });

  it('puts variables in once, and takes no text without an end', () => {
    const environmentVariables = [
      { name: 'NESTED', value: '{a}', variables: { a: { value: '{a}{a}' } } },
      { name: 'HUGE', value: '{a}'.repeat(5000), variables: { a: { value: 'x'.repeat(1000) } } },
    ];
    const { variables } = only({ packages: [{ ...npm, environmentVariables }] });
    expect(variables.map(({ storedDefault }) => storedDefault)).toEqual(['{a}{a}', null]);
  });

  it.each([
    [{ type: 'positional', value: '{api_key}', variables: { api_key: { default: 'hunter2-horse' } } }],
    [{ type: 'positional', valueHint: 'password', value: 'correcthorse' }],
    [{ type: 'named', name: 'token', value: 'correcthorse' }],
    [{ type: 'named', name: '--token', value: '-hunter2' }],
  ])('refuses what a name says is secret: %j', (argument) => {
    const planned = only({ packages: [{ ...npm, packageArguments: [argument] }] });
    expect(planned.problems.join('; ')).toMatch(/secret/);
    expect(planned.problems.join('; ')).not.toMatch(/horse|hunter/);
  });

  it.each(['https://h.example/mcp/s/NjA4ZjQ0OWUtYzk5Zjk1/mcp', 'https://h.example/mcp?correcthorse'])(
    'refuses the address %s, which may hold a secret',
    (url) => {
      const planned = only({ remotes: [{ type: 'streamable-http', url }] });
      expect(planned.problems).toEqual([expect.stringContaining('may contain a secret')]);
    },
  );

  it('names what would be shown and not stored', () => {
    const environmentVariables = [
      { name: 'MODE', isSecret: true },
      { name: 'MODE', value: 'x' },
      JSON.parse('{"name":"__proto__","value":"x"}'),
    ];
    expect(only({ packages: [{ ...npm, environmentVariables }] }).problems).toEqual([
      'the variable MODE is named twice',
      '__proto__ cannot be a variable',
    ]);
  });

  it('names what it cannot read in a list', () => {
    const { servers } = plan({ servers: [server({ packages: [npm] }), { name: 'a/empty' }, 'text'] });
    expect(servers.map(({ key, problems }) => [key, problems.length])).toEqual([
      ['io.github.ada/weather-reports', 0],
      ['number 2 of the list', 1],
      ['number 3 of the list', 1],
    ]);
  });

  it.each(['deleted', 'deprecated'])('says when the registry marked it as %s', (status) => {
    const official = { 'io.modelcontextprotocol.registry/official': { status } };
    const [planned] = plan({ server: server({ packages: [npm] }), _meta: official }).servers;
    const said = status === 'deleted' ? planned?.problems : planned?.notes;
    expect(said).toContainEqual(expect.stringContaining(status));
  });

  it('says what its author withdrew', () => {
    expect(only({ status: 'deprecated', packages: [npm] }).notes).toContain(
      'its author marked it as deprecated',
    );
  });
});
