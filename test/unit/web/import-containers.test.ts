/** Servers that are imported as images: from `docker run`, and from documents of the registry. */
import { describe, expect, it } from '@jest/globals';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';

const plan = (mcpServers: Record<string, unknown>) => planImport(JSON.stringify({ mcpServers }));

const runs = (command: string, ...args: string[]) => plan({ a: { command, args } }).servers[0];

describe('docker run', () => {
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
});

describe('the options of a container engine in a document of the registry', () => {
  const oci = { registryType: 'oci', identifier: 'ghcr.io/ada/weather:1', transport: { type: 'stdio' } };
  const run = (...runtimeArguments: object[]) => {
    const document = { name: 'io.github.ada/weather', packages: [{ ...oci, runtimeArguments }] };
    const [planned] = planImport(JSON.stringify(document)).servers;
    if (planned === undefined) {
      throw new Error('nothing is planned');
    }
    return planned;
  };
  const env = (value: string, variables: object = {}, more: object = {}) => ({
    type: 'named',
    name: '-e',
    value,
    variables,
    ...more,
  });

  it('are the variables that -e gives, with what is said of each', () => {
    const token = { description: 'From your profile', isRequired: true, isSecret: true, default: 'hush' };
    const planned = run(
      env('WEATHER_TOKEN={token}', { token }),
      env('UNITS={units}', { units: { choices: ['metric', 'imperial'], default: 'metric' } }),
      env('PLACE={place}', { place: { isRequired: true } }),
      env('MODE=fast'),
      env('BASE=https://{host}/v1', { host: { isRequired: true } }),
      { type: 'positional', value: '--env=API_KEY', isRequired: true },
    );
    expect(planned.problems).toEqual([]);
    expect(planned.input.manifest?.env).toEqual({
      WEATHER_TOKEN: {
        kind: 'secret',
        label: 'Weather token',
        description: 'From your profile',
        required: true,
      },
      UNITS: { kind: 'value', label: 'Units', enum: ['metric', 'imperial'], default: 'metric' },
      PLACE: { kind: 'value', label: 'Place', required: true },
      MODE: { kind: 'value', label: 'Mode', default: 'fast' },
      BASE: { kind: 'value', label: 'Base', required: true },
      API_KEY: { kind: 'secret', label: 'Api key', required: true },
    });
    expect(planned.notes).toContain(
      'the value of BASE is to be given as a whole, in the form https://{host}/v1',
    );
    expect(JSON.stringify(planned)).not.toContain('hush');
  });

  it.each([
    [{ type: 'named', name: '--mount', value: 'type=bind,src={workspace},dst=/work' }, '--mount'],
    [{ type: 'named', name: '-v', value: '/data:/data' }, '-v'],
    [{ type: 'named', name: '--network', value: 'host' }, '--network'],
    [{ type: 'positional', value: '--privileged' }, '--privileged'],
  ])('are refused where they change the container: %j', (argument, flag) => {
    expect(run(argument).problems).toEqual([
      expect.stringMatching(new RegExp(`^its container is given ${flag}: .+`)),
    ]);
  });

  it('say what is left out', () => {
    const planned = run(
      { type: 'named', name: '--name', value: 'box' },
      { type: 'positional', value: '--rm' },
    );
    expect(planned.problems).toEqual([]);
    expect(planned.notes).toContain('--name box is left out: the platform names containers');
  });
});
