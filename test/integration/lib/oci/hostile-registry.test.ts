/** Registries that lie, stall, send too much, or try to make the platform contact another host. */
import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it } from '@jest/globals';
import { defaultImageLimits } from '../../../../lib/oci/limits.ts';
import {
  descriptorOf,
  digestOf,
  type Interfere,
  image,
  index,
  startTestRegistry,
  type TestRegistry,
  tar,
} from '../../../support/images.ts';
import { allowing, fileName, outcome, read } from './reading.ts';

const registries: TestRegistry[] = [];
afterEach(async () => {
  await Promise.all(registries.splice(0).map((registry) => registry.close()));
});

const honest = image({ layers: [tar([{ path: fileName, content: 'text' }])] });
const layerDigest = digestOf(honest.blobs[1]?.bytes ?? Buffer.alloc(0));
const configDigest = digestOf(honest.blobs[0]?.bytes ?? Buffer.alloc(0));

async function start(interfere?: Interfere): Promise<TestRegistry> {
  const registry = await startTestRegistry(interfere);
  registries.push(registry);
  registry.push('team/server', '1', honest);
  return registry;
}

const redirecting =
  (what: string, location: (path: string) => string, status = 307): Interfere =>
  (request, response) => {
    const isIt = request.url?.includes(what) ?? false;
    if (isIt) {
      response.writeHead(status, { location: location(request.url ?? '') }).end();
    }
    return isIt;
  };
const limits = (changed: object) => ({ limits: { ...defaultImageLimits, ...changed } });

describe('what a registry sends', () => {
  it('must be what the reference names', async () => {
    const { host } = await start();
    expect(await read(host, 'team/server:1')).toEqual({
      digest: honest.digest,
      command: ['/server', '--stdio'],
      user: '1000',
      workingDirectory: '',
      volumes: [],
      env: ['PATH=/bin'],
      file: Buffer.from('text'),
    });
    expect(await read(host, `team/server@${honest.digest}`)).toMatchObject({ digest: honest.digest });
  });

  it.each([
    ['manifest', `manifests/${honest.digest}`, `team/server@${honest.digest}`],
    ['configuration', configDigest, 'team/server:1'],
    ['layer', layerDigest, 'team/server:1'],
  ])('a %s other than its digest says is refused', async (_what, part, name) => {
    const { host } = await start((request, response) => {
      const isIt = request.url?.includes(part) ?? false;
      if (isIt) {
        response.end('{"other": true}');
      }
      return isIt;
    });
    expect(await outcome(host, name)).toMatchObject({ code: 'digest_mismatch' });
  });

  it('a manifest other than the registry itself says is refused', async () => {
    const { host } = await start((_request, response) => {
      response.setHeader('docker-content-digest', `sha256:${'0'.repeat(64)}`);
      return false;
    });
    expect(await outcome(host, 'team/server:1')).toMatchObject({ code: 'digest_mismatch' });
  });

  it('one byte changed in a layer is detected before the file is used', async () => {
    const changed = Buffer.from(honest.blobs[1]?.bytes ?? '');
    changed[4] = 1;
    const { host } = await start((request, response) => {
      const isLayer = request.url?.includes(layerDigest) ?? false;
      if (isLayer) {
        response.end(changed);
      }
      return isLayer;
    });
    expect(await outcome(host, 'team/server:1')).toMatchObject({ code: 'digest_mismatch' });
  });

  it.each(['manifests/1', `blobs/${configDigest}`, `blobs/${layerDigest}`])(
    'an endless %s is cut off',
    async (part) => {
      const { host } = await start((request, response) => {
        const isIt = request.url?.includes(part) ?? false;
        if (isIt) {
          const more = () => {
            while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) {}
          };
          response.on('drain', more);
          more();
        }
        return isIt;
      });
      const result = await outcome(host, 'team/server:1', limits({ documentBytes: 1_000_000 }));
      // A layer is rejected at its first bytes that are not gzip.
      expect(result).toMatchObject({
        code: expect.stringMatching(/too_large|unreadable_layer|digest_mismatch/),
      });
    },
  );

  it.each([
    ['manifest', 'manifests/1'],
    ['layer', layerDigest],
  ])('a %s that arrives too slowly ends at the time limit', async (_what, part) => {
    let timer: NodeJS.Timeout | undefined;
    const { host } = await start((request, response) => {
      const isIt = request.url?.includes(part) ?? false;
      if (isIt) {
        // A valid layer so far; only the timeout ends it.
        const bytes = [...(honest.blobs[1]?.bytes ?? [])];
        timer = setInterval(() => response.write(Buffer.from(bytes.splice(0, 1))), 20);
      }
      return isIt;
    });
    expect(await outcome(host, 'team/server:1', limits({ timeMs: 500 }))).toMatchObject({
      code: 'time_limit',
    });
    clearInterval(timer);
  });

  it('a registry that never answers ends at the time limit', async () => {
    const { host } = await start(() => true);
    expect(await outcome(host, 'team/server:1', limits({ timeMs: 300 }))).toMatchObject({
      code: 'time_limit',
    });
  });

  it('a registry where nothing listens is reported as unreachable', async () => {
    const { host, close } = await startTestRegistry();
    await close();
    expect(await outcome(host, 'team/server:1')).toEqual({
      code: 'registry_unreachable',
      message: `${host} cannot be reached (ECONNREFUSED)`,
    });
  });

  it.each([
    [404, 'not_found'],
    [403, 'unauthorized'],
    [429, 'registry_unreachable'],
    [500, 'registry_unreachable'],
    [204, 'invalid_response'],
  ])('the status %d is %s', async (status, code) => {
    const { host } = await start((_request, response) => {
      response.writeHead(status).end();
      return true;
    });
    expect(await outcome(host, 'team/server:1')).toMatchObject({ code });
  });
});

describe('manifests', () => {
  const served = async (value: object | string) => {
    const registry = await start();
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    registry.serve('/v2/team/server/manifests/odd', { mediaType: 'text/plain', bytes });
    return outcome(registry.host, 'team/server:odd');
  };

  it.each<[string, object | string, string]>([
    ['that are no JSON', '<html>', 'invalid_response'],
    ['of the first schema', { schemaVersion: 1, fsLayers: [] }, 'unsupported_media_type'],
    ['that are an index as well', { schemaVersion: 2, manifests: [], layers: [] }, 'unsupported_media_type'],
    ['without images', { schemaVersion: 2, manifests: [] }, 'platform_missing'],
    [
      'of something else than an image',
      {
        schemaVersion: 2,
        layers: [],
        config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: configDigest, size: 1 },
      },
      'unsupported_media_type',
    ],
    [
      'with a digest that is a path',
      {
        schemaVersion: 2,
        layers: [],
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: '../../x', size: 1 },
      },
      'invalid_response',
    ],
    [
      'of a platform whose name is a text',
      {
        schemaVersion: 2,
        manifests: [
          { ...descriptorOf(honest.manifest), platform: { os: 'x'.repeat(256), architecture: 'x' } },
        ],
      },
      'invalid_response',
    ],
    [
      'with two images for one platform',
      {
        schemaVersion: 2,
        manifests: ['v1', undefined].map((variant) => ({
          ...descriptorOf(honest.manifest),
          platform: { os: 'linux', architecture: 'amd64', variant },
        })),
      },
      'invalid_response',
    ],
  ])('%s are refused', async (_what, value, code) => {
    expect(await served(value)).toMatchObject({ code });
  });

  it('an index leads to the image of the platform, and its own digest is stored', async () => {
    const registry = await start();
    const arm = image({
      configuration: { architecture: 'arm64' },
      layers: [tar([{ path: fileName, content: 'arm' }])],
    });
    registry.push('team/server', 'arm', arm);
    const both = index({ arm64: arm, amd64: honest });
    registry.serve('/v2/team/server/manifests/both', both);
    const platform = { os: 'linux', architecture: 'arm64' } as const;
    expect(await read(registry.host, 'team/server:both')).toMatchObject({ file: Buffer.from('text') });
    expect(await read(registry.host, 'team/server:both', { platform })).toMatchObject({
      digest: digestOf(both.bytes),
      file: Buffer.from('arm'),
    });
    // The right platform under the right digest, with another image's bytes.
    registry.serve(`/v2/team/server/manifests/${arm.digest}`, honest.manifest);
    expect(await outcome(registry.host, 'team/server:both', { platform })).toMatchObject({
      code: 'digest_mismatch',
    });
    registry.serve('/v2/team/server/manifests/one', index({ arm64: arm, s390x: honest }));
    expect(await outcome(registry.host, 'team/server:one')).toEqual({
      code: 'platform_missing',
      message: 'the image is not made for linux/amd64, only for linux/arm64, linux/s390x',
    });
    expect(await outcome(registry.host, 'team/server:arm')).toMatchObject({ code: 'platform_missing' });
  });

  it('nested indexes are limited', async () => {
    const registry = await start();
    let inner = honest.manifest;
    for (let depth = 0; depth < 4; depth += 1) {
      inner = index({ amd64: { manifest: inner } });
      registry.serve(`/v2/team/server/manifests/${digestOf(inner.bytes)}`, inner);
      registry.serve(`/v2/team/server/manifests/depth-${depth}`, inner);
    }
    expect(await outcome(registry.host, 'team/server:depth-1')).toBe('text');
    expect(await outcome(registry.host, 'team/server:depth-2')).toMatchObject({ code: 'too_large' });
  });

  it('a huge index is refused', async () => {
    const entry = { mediaType: 'x', digest: honest.digest, size: 1 };
    expect(
      await served({ schemaVersion: 2, manifests: Array.from({ length: 1001 }, () => entry) }),
    ).toMatchObject({
      code: 'invalid_response',
    });
  });

  it('an image that runs nothing is refused', async () => {
    const registry = await start();
    for (const config of [{}, { Entrypoint: null, Cmd: [] }, { Entrypoint: [''] }]) {
      registry.push('team/empty', '1', image({ config }));
      expect(await outcome(registry.host, 'team/empty:1')).toMatchObject({ code: 'no_entrypoint' });
    }
  });
});

describe('redirects', () => {
  it('of blobs are followed to another host, without the credentials', async () => {
    const elsewhere = await start();
    const registry = await start((request, response) => {
      if (request.headers.authorization === undefined) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
        return true;
      }
      return redirecting('/blobs/', (path) => `http://${elsewhere.host}${path}`)(request, response);
    });
    const options = {
      policy: allowing(registry.host, elsewhere.host),
      credentials: { user: 'ada', password: 'secret' },
    };
    expect(await outcome(registry.host, 'team/server:1', options)).toBe('text');
    expect(elsewhere.requests).toHaveLength(2);
    expect(elsewhere.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  it.each([
    ['a metadata service', 'http://169.254.169.254/latest/meta-data/', 'insecure_registry'],
    ['a metadata service over TLS', 'https://169.254.169.254/latest/meta-data/', 'address_refused'],
    ['loopback', 'https://127.0.0.1:1/', 'address_refused'],
    ['loopback in other words', 'https://0x7f.1:1/', 'address_refused'],
    ['loopback by name', 'https://localhost:1/', 'address_refused'],
    ['loopback in IPv6', 'https://[::ffff:127.0.0.1]:1/', 'address_refused'],
    ['a private network', 'https://10.0.0.1/', 'address_refused'],
    ['a file', 'file:///etc/passwd', 'invalid_response'],
    ['nowhere', 'http://', 'invalid_response'],
  ])('to %s are refused', async (_where, location, code) => {
    const { host } = await start(redirecting('/blobs/', () => location));
    expect(await outcome(host, 'team/server:1')).toMatchObject({ code });
  });

  it('in a loop end', async () => {
    const registry = await start(redirecting('/manifests/', (path) => path));
    expect(await outcome(registry.host, 'team/server:1')).toMatchObject({ code: 'too_many_redirects' });
    expect(registry.requests).toHaveLength(6);
  });
});

describe('addresses', () => {
  it('a registry on a private address, or over plain http, is contacted only if allowed', async () => {
    const registry = await start();
    const policy = (scheme?: 'http' | 'https') => ({
      policy: { ...allowing(), privateHosts: new Map(scheme === undefined ? [] : [[registry.host, scheme]]) },
    });
    expect(await outcome(registry.host, 'team/server:1', policy())).toMatchObject({
      code: 'address_refused',
    });
    expect(registry.requests).toHaveLength(0);
    // Allowed, but the registry does not speak TLS.
    expect(await outcome(registry.host, 'team/server:1', policy('https'))).toMatchObject({
      code: 'registry_unreachable',
    });
  });

  it('a name that changes its address between two requests gains nothing', async () => {
    const registry = await start();
    const port = registry.host.split(':')[1];
    const answers: LookupAddress[][] = [
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '169.254.169.254', family: 4 }],
    ];
    const resolveName = async () => answers.shift() ?? [];
    const host = `registry.test:${port}`;
    expect(await outcome(host, 'team/server:1', { policy: allowing(host), resolveName })).toMatchObject({
      code: 'address_refused',
    });
    expect(registry.requests).toHaveLength(1);
  });
});
