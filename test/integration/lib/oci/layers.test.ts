/** Which file of which layer is read, and what is refused on the way. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultImageLimits } from '../../../../lib/oci/limits.ts';
import {
  type ImageContent,
  image,
  startTestRegistry,
  type TarFile,
  type TestRegistry,
  tar,
} from '../../../support/images.ts';
import { fileName, outcome, read } from './reading.ts';

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startTestRegistry();
});
afterAll(() => registry.close());

const at = (path: string, content = 'upper'): TarFile => ({ path, content });
const lower = [{ path: 'etc/', type: '5' }, at(fileName, 'lower')];

const outcomeOf = (parts: ImageContent, limits = {}) => {
  registry.push('test', 'v', image(parts));
  return outcome(registry.host, 'test:v', { limits: { ...defaultImageLimits, ...limits } });
};
const outcomeOfLayers = (...layers: TarFile[][]) => outcomeOf({ layers: layers.map(tar) });

describe('the file at the root of an image', () => {
  it.each<[string, TarFile[][], string | null]>([
    ['is not there in an image without layers', [], null],
    ['is not there when no layer has it', [[at('other')]], null],
    ['is read from the only layer', [lower], 'lower'],
    ['is read from below layers without it', [lower, [at('other')], [at('etc/other')]], 'lower'],
    ['is read from the highest layer that has it', [lower, [at(fileName)]], 'upper'],
    ['is the last of one layer', [[at(fileName, 'first'), at(`./${fileName}`, 'last')]], 'last'],
    ['may be named from the root', [lower, [at(`/${fileName}`)]], 'upper'],
    ['may be named from here', [lower, [at(`./${fileName}`)]], 'upper'],
    ['is not one of a folder', [lower, [at(`etc/${fileName}`)]], 'lower'],
    ['is hidden by a whiteout', [lower, [at(`.wh.${fileName}`, '')]], null],
    ['is hidden by a whiteout, however it is written', [lower, [at(`.//.wh.${fileName}`, '')]], null],
    ['is hidden by an opaque root', [lower, [at('.wh..wh..opq', '')]], null],
    ['is not hidden by an opaque folder', [lower, [at('etc/.wh..wh..opq', '')]], 'lower'],
    ['is not hidden by another whiteout', [lower, [at('.wh.mcp-manifest', '')]], 'lower'],
    [
      'is not hidden in the whiteout’s own layer',
      [lower, [at(fileName), at(`.wh.${fileName}`, '')]],
      'upper',
    ],
    ['is there again above a whiteout', [lower, [at(`.wh.${fileName}`, '')], [at(fileName, 'new')]], 'new'],
    ['may be empty', [[at(fileName, '')]], ''],
  ])('%s', async (_what, layers, content) => {
    expect(await outcomeOfLayers(...layers)).toBe(content);
  });

  it.each<[string, TarFile]>([
    ['symbolic link', { path: fileName, type: '2', linkTarget: 'etc/shadow' }],
    ['hard link', { path: fileName, type: '1', linkTarget: 'etc/shadow' }],
    ['directory', { path: `${fileName}/`, type: '5' }],
    ['special file', { path: fileName, type: '3' }],
  ])('must not be a %s', async (type, entry) => {
    expect(await outcomeOfLayers(lower, [entry])).toEqual({
      code: 'manifest_not_a_file',
      message: `/mcp-manifest.json of the image is a ${type}; it must be a regular file`,
    });
  });

  it.each(['../mcp-manifest.json', 'etc/../mcp-manifest.json', '/../../etc/passwd', 'a/..'])(
    'an image with the path %s is refused',
    async (path) => {
      expect(await outcomeOfLayers(lower, [at(path)])).toMatchObject({ code: 'unsafe_path' });
    },
  );

  it('an image whose root is a link is refused', async () => {
    const root = { path: './', type: '2', linkTarget: '/etc' };
    expect(await outcomeOfLayers(lower, [root])).toMatchObject({ code: 'unsafe_path' });
  });

  it('is read up to 256 KiB', async () => {
    const most = 'x'.repeat(256 * 1024);
    expect(await outcomeOfLayers([at(fileName, most)])).toBe(most);
    expect(await outcomeOfLayers([at(fileName, `${most}x`)])).toMatchObject({ code: 'manifest_too_large' });
  });

  it('is not read when it was not requested', async () => {
    const made = image({ layers: [tar(lower)] });
    registry.push('unread', 'v', made);
    registry.requests.length = 0;
    expect(await read(registry.host, 'unread:v', { fileName: null })).toMatchObject({ file: null });
    expect(registry.requests).toHaveLength(2);
  });
});

describe('a layer', () => {
  const layers = [tar(lower)];

  it('may be sent uncompressed, or as several gzip members', async () => {
    const layerType = 'application/vnd.oci.image.layer.v1.tar';
    expect(await outcomeOf({ layers, layerType, sent: (layer) => layer })).toBe('lower');
    const sent = (layer: Buffer) =>
      Buffer.concat([gzipSync(layer.subarray(0, 700)), gzipSync(layer.subarray(700))]);
    expect(await outcomeOf({ layers, sent })).toBe('lower');
  });

  it.each<[string, ImageContent, string]>([
    ['that is no gzip', { layers, sent: (layer) => layer }, 'unreadable_layer'],
    ['that is cut off', { layers, sent: (layer) => gzipSync(layer).subarray(0, -20) }, 'unreadable_layer'],
    ['that is no tar', { layers: [Buffer.alloc(2048, 'x')] }, 'unreadable_layer'],
    [
      'of zstd',
      { layers, layerType: 'application/vnd.oci.image.layer.v1.tar+zstd' },
      'unsupported_media_type',
    ],
    [
      'that lies elsewhere',
      { layers, layerType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip' },
      'unsupported_media_type',
    ],
    [
      'other than the configuration lists',
      { layers, configuration: { rootfs: { type: 'layers', diff_ids: [`sha256:${'0'.repeat(64)}`] } } },
      'digest_mismatch',
    ],
    [
      'more than the configuration lists',
      { layers, configuration: { rootfs: { type: 'layers', diff_ids: [] } } },
      'invalid_response',
    ],
  ])('%s is refused', async (_what, parts, code) => {
    expect(await outcomeOf(parts)).toMatchObject({ code });
  });

  it('of an image that declares more volumes than a container may have mounts is not read', async () => {
    const declaring = (count: number) => ({
      layers,
      config: {
        Entrypoint: ['/server'],
        Volumes: Object.fromEntries(Array.from({ length: count }, (_, at) => [`/data/${at}`, {}])),
      },
    });
    expect(await outcomeOf(declaring(32))).toBe('lower');
    expect(await outcomeOf(declaring(33))).toMatchObject({ code: 'too_large' });
  });

  it('with trailing data after gzip is read as the configuration lists it, and the read ends', async () => {
    const sent = (layer: Buffer) => Buffer.concat([gzipSync(layer), Buffer.alloc(300_000, 'x')]);
    const result = await outcomeOf({ layers, sent });
    expect(typeof result === 'string' ? result : result?.code).toMatch(/^(lower|unreadable_layer)$/);
  });

  it.each([
    ['unpacks to too much for its size', { ratio: 10, ratioFreeBytes: 1000 }, 'times its size'],
    ['unpacks to too much', { uncompressedBytes: 100_000 }, 'unpack to more than 100000 bytes'],
    ['is sent as too much', { compressedBytes: 100 }, 'larger than 100 bytes'],
  ])('that %s is refused', async (_what, limits, message) => {
    const bomb = tar([{ path: 'zeros', content: Buffer.alloc(1_000_000) }]);
    expect(await outcomeOf({ layers: [tar(lower), bomb] }, limits)).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining(message),
    });
  });

  it('limits apply to all layers together', async () => {
    const filler = tar([{ path: 'zeros', content: Buffer.alloc(60_000) }]);
    const limits = { uncompressedBytes: 100_000 };
    expect(await outcomeOf({ layers: [filler] }, limits)).toBeNull();
    expect(await outcomeOf({ layers: [filler, filler] }, limits)).toMatchObject({ code: 'too_large' });
    expect(await outcomeOf({ layers: [filler, filler, filler] }, { layers: 2 })).toMatchObject({
      code: 'too_large',
    });
  });
});
