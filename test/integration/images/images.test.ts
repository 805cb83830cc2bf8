/**
 * Each image of the platform, run as the platform runs it: an ordinary user, a read-only root, no capability.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { sidecarEnvironment } from '../../../runtime/sidecar-program.ts';
import { runEngine } from '../../support/container-engine.ts';
import { type PlatformImages, platformImages, requirePlatformImages } from '../../support/platform-images.ts';
import { runConfined } from './run-container.ts';

const withImages = platformImages === null ? describe.skip : describe;
const all = ['sidecar', 'scripted', 'runner', 'platform', 'claude'] as const;

const inspected = z.array(
  z.looseObject({
    Config: z.looseObject({
      User: z.string(),
      Env: z.array(z.string()),
      Labels: z.record(z.string(), z.string()),
    }),
  }),
);

async function configOf(image: string) {
  const [{ Config } = { Config: null }] = inspected.parse(
    JSON.parse(await runEngine(['image', 'inspect', image])),
  );
  if (Config === null) {
    throw new Error(`${image} is not there`);
  }
  return Config;
}

/** Runs by `node -e`, which all of them have. */
const report = `
  const attempt = (path) => { try { fs.writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; } };
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  console.log(JSON.stringify({
    user: process.getuid(), group: process.getgid(),
    root: attempt('/file'), program: attempt(process.execPath), home: attempt('/etc/file'), temporary: attempt('/tmp/file'),
    capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1],
  }));`;

withImages.each(all)('the image %s', (name) => {
  let images: PlatformImages;
  beforeAll(() => {
    images = requirePlatformImages();
  });

  it('runs as an unprivileged user that can write only to mounts', async () => {
    const { output, exitCode } = await runConfined(images[name], ['node', '-e', report], {
      writable: ['/tmp'],
    });
    expect({ output, exitCode }).toMatchObject({ exitCode: 0 });
    const seen = JSON.parse(output);
    expect(seen).toMatchObject({ root: 'EROFS', home: expect.stringMatching(/^E/), temporary: 'written' });
    expect(seen.program).not.toBe('written');
    expect(seen.user).toBeGreaterThanOrEqual(10_000);
    expect(seen.group).toBeGreaterThanOrEqual(10_000);
    expect(seen.capabilities).toMatch(/^0+$/);
  });

  it('runs as any other user that it is given', async () => {
    const { output } = await runConfined(images[name], ['node', '-p', 'process.getuid()'], {
      user: '31234:31234',
    });
    expect(output.trim()).toBe('31234');
  });

  it('has its labels, and nothing else in its environment', async () => {
    const { Labels, Env, User } = await configOf(images[name]);
    expect(User).toMatch(/^\d+:\d+$/);
    for (const label of ['title', 'description', 'licenses', 'version']) {
      expect(Labels[`org.opencontainers.image.${label}`]).toBeTruthy();
    }
    const ofRunner = /^(HOME|NPM_CONFIG_\w+|PIP_\w+|UV_\w+|PYTHONDONTWRITEBYTECODE)=/;
    const ofAll = /^(PATH|NODE_ENV|SSL_CERT_FILE|container|NODE_VERSION|YARN_VERSION)=/;
    const own = name === 'sidecar' ? Object.entries(sidecarEnvironment).map((entry) => entry.join('=')) : [];
    expect(
      Env.filter((entry) => !ofAll.test(entry) && !(name === 'runner' && ofRunner.test(entry))).sort(),
    ).toEqual(own.sort());
  });
});

/** Every file of an image, without the mounts of a running container. */
async function filesOf(image: string): Promise<string[]> {
  const listing = `
    const walk = (directory) => fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = directory.replace(/\\/$/, '') + '/' + entry.name;
      return entry.isDirectory() ? (['/proc', '/sys', '/dev', '/run/secrets'].includes(path) ? [] : walk(path)) : [path];
    });
    console.log(walk('/').join('\\n'));`;
  const { output } = await runConfined(image, ['node', '-e', listing], {
    user: '0:0',
    capability: 'DAC_READ_SEARCH',
  });
  return output.trim().split('\n');
}

withImages('what a session trusts or contains', () => {
  const libraries = /^\/(usr\/)?lib(64)?\/([\w-]+-linux-gnu\/)?(ld-linux-[\w-]+|lib[\w+]+)\.so(\.\d+)*$/;
  const fromEngine = /^\/(etc\/(hosts|hostname|resolv\.conf|mtab)|run\/\.containerenv|\.dockerenv)$/;
  const ofNode = ['/etc/group', '/etc/passwd', '/etc/ssl/certs/ca-certificates.crt', '/usr/local/bin/node'];

  it.each([
    [
      'sidecar',
      [
        '/opt/platform/bin/relay',
        '/opt/platform/model-program.js',
        '/opt/platform/remote-bridge.js',
        '/opt/platform/sidecar.js',
      ],
    ],
    ['scripted', ['/opt/platform/scripted-agent.js']],
  ] as const)(
    '%s holds Node, its libraries and its own programs: no shell, no package manager',
    async (name, own) => {
      const files = (await filesOf(requirePlatformImages()[name])).filter(
        (path) => !libraries.test(path) && !fromEngine.test(path),
      );
      expect(files.toSorted()).toEqual([...ofNode, ...own].toSorted());
    },
  );

  it('a volume over the directory of the session is writable by the sidecar and its group', async () => {
    const look = `
      const { mode, uid, gid } = fs.statSync('/run/platform-session');
      console.log((mode & 0o7777).toString(8), uid, gid)`;
    const { output } = await runConfined(requirePlatformImages().sidecar, ['node', '-e', look]);
    expect(output.trim()).toBe('2770 10001 10000');
  });

  it('the sidecar ends with a reason when it is given no boot file', async () => {
    const { output, exitCode } = await runConfined(requirePlatformImages().sidecar, []);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/sidecar cannot start/);
    expect(output).toMatch(/boot\.json/);
  });
});
