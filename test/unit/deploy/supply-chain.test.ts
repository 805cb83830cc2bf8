/** What the platform's build downloads: by checksum, by name, and without running install scripts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { productSlug } from '../../../contract/product-name.ts';
import { baseImagesOf, filesWithBaseImages, withDigests } from '../../../scripts/pin-release.ts';

const filesLike = (pattern: string) =>
  execFileSync('git', ['ls-files', pattern], { encoding: 'utf8' }).trim().split('\n');
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      link: z.boolean().default(false),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
    }),
  ),
});
const lockFiles = filesLike('*package-lock.json');
const read = (file: string) => lockFile.parse(JSON.parse(readFileSync(file, 'utf8')));

describe('each lock file', () => {
  it.each(lockFiles)('%s has a checksum for every package', (file) => {
    const fetched = Object.entries(read(file).packages).filter(([path, { link }]) => path !== '' && !link);
    expect(fetched.length).toBeGreaterThan(0);
    expect(fetched.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
  });

  it.each(lockFiles)(
    '%s names no address: packages come from the registry that npm is configured with',
    (file) => {
      expect(Object.values(read(file).packages).flatMap(({ resolved }) => resolved ?? [])).toEqual([]);
    },
  );
});

describe('each list of Python packages', () => {
  const lists = filesLike('*requirements.txt');

  it.each(lists)('%s has a version and checksums for every package', (file) => {
    const entries = readFileSync(file, 'utf8').replaceAll('\\\n', ' ').trim().split('\n');
    for (const entry of entries) {
      expect(entry).toMatch(/^[\w-]+==[\w.]+( ;[^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+$/);
    }
  });
});

describe('what installs packages', () => {
  const sources = [...filesLike('scripts/*.mjs'), ...filesLike('deploy/*Dockerfile')];
  /** Normalizes shell commands and those that a program starts as argument lists. */
  const words = (file: string) => readFileSync(file, 'utf8').replaceAll(/[',[\]\\\s]+/g, ' ');
  const calls = (pattern: RegExp) => sources.flatMap((file) => words(file).match(pattern) ?? []);

  it('runs no script of an npm package', () => {
    const installs = calls(/\bnpm (ci|install|i|rebuild)\b.{18}/g);
    expect(installs.length).toBeGreaterThan(4);
    expect(installs.filter((call) => !/^npm (ci|install) --ignore-scripts\b/.test(call))).toEqual([]);
  });

  it('installs Python packages by checksum, and builds none', () => {
    const installs = calls(/\bpip (install|download|wheel)\b.{1,100}/g);
    expect(installs).toHaveLength(3);
    for (const call of installs) {
      expect(call).toMatch(/ --require-hashes --only-binary :all: .*--requirement /);
    }
  });
});

describe('the images', () => {
  const dockerfiles = filesLike('deploy/*Dockerfile');
  const instructions = (file: string) => readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n');

  it('are based on the image that a build argument names, by tag and, in a release, by digest', () => {
    const stages = dockerfiles.flatMap(instructions).filter((line) => line.startsWith('FROM '));
    const own = stages.flatMap((line) => / AS (\S+)$/.exec(line)?.[1] ?? []);
    const foreign = stages.map((line) => line.split(' ')[1] ?? '').filter((base) => !own.includes(base));
    expect(new Set(foreign)).toEqual(new Set(['scratch', '${NODE_IMAGE}']));
    const [platform, identity, compose] = filesWithBaseImages.map((file) => readFileSync(file, 'utf8'));
    expect(baseImagesOf(identity ?? '')).toEqual(baseImagesOf(platform ?? ''));
    expect(baseImagesOf(compose ?? '')).toEqual(expect.arrayContaining(baseImagesOf(platform ?? '')));
    for (const reference of baseImagesOf(compose ?? '')) {
      expect(reference).toMatch(/^[a-z0-9./-]+:[\w.-]*\d[\w.-]*(@sha256:[0-9a-f]{64})?$/);
    }
  });

  it('that compose runs are named in the same way', () => {
    const named = [...readFileSync('docker-compose.yml', 'utf8').matchAll(/^ {4}image: (.+)$/gm)].map(
      ([, image = '']) => image,
    );
    const foreign = named.filter((image) => !image.startsWith(productSlug));
    expect(foreign).toHaveLength(2);
    for (const image of foreign) {
      expect(image).toMatch(/^\$\{\w+_IMAGE:-[^}]+\}$/);
    }
  });
});

describe('a release', () => {
  const digest = `sha256:${'a'.repeat(64)}`;

  it('puts digests behind the names of base images, once', () => {
    const text = 'ARG NODE_IMAGE=node:22-slim\nFROM ${NODE_IMAGE}\nimage: ${POSTGRES_IMAGE:-postgres:18}\n';
    const pinned = withDigests(text, () => digest);
    expect(pinned).toBe(
      `ARG NODE_IMAGE=node:22-slim@${digest}\nFROM \${NODE_IMAGE}\nimage: \${POSTGRES_IMAGE:-postgres:18@${digest}}\n`,
    );
    expect(withDigests(pinned, () => 'sha256:other')).toBe(pinned);
    expect(baseImagesOf(pinned)).toEqual([`node:22-slim@${digest}`, `postgres:18@${digest}`]);
  });
});
