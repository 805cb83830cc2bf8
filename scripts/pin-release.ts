/**
 * What a release does to its sources where the public registries are reachable
 * (docs/operations.md, Building images):
 *   node --import tsx scripts/pin-release.ts [--check]
 * Puts the digest of each base image into the defaults of Dockerfiles and docker-compose.yml. With --check it
 * changes nothing and fails when one has no digest.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readImage } from '../lib/oci/read-image.ts';
import { publicRegistriesOnly } from '../lib/oci/registry-policy.ts';
import { ownPlatform } from '../lib/oci/resolve-image.ts';

export const filesWithBaseImages = [
  'deploy/Dockerfile',
  'deploy/demo-identity/Dockerfile',
  'docker-compose.yml',
];

/** `ARG NODE_IMAGE=node:22` and `${NODE_IMAGE:-node:22}`. */
const imageDefault = /(^ARG \w+_IMAGE=|\$\{\w+_IMAGE:-)([\w./:@-]+)/gm;

/** The base images that a file names by default, each once. */
export function baseImagesOf(text: string): string[] {
  return [...new Set([...text.matchAll(imageDefault)].map(([, , reference = '']) => reference))];
}

/** Returns the text with `digestOf(reference)` appended to each default that has no digest. */
export function withDigests(text: string, digestOf: (reference: string) => string): string {
  return text.replace(imageDefault, (_all, before: string, reference: string) =>
    reference.includes('@') ? before + reference : `${before}${reference}@${digestOf(reference)}`,
  );
}

async function digestsOf(references: string[]): Promise<Map<string, string>> {
  const source = { workspaceId: null, policy: publicRegistriesOnly, platform: ownPlatform };
  const options = { ...source, credentials: null, fileName: null };
  const read = async (reference: string) =>
    [reference, (await readImage(reference, options)).digest] as const;
  return new Map(await Promise.all(references.map(read)));
}

function readSources() {
  const texts = filesWithBaseImages.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const images = new Set(texts.flatMap(({ text }) => baseImagesOf(text)));
  return { texts, images: [...images].filter((reference) => !reference.includes('@')) };
}

function check(): void {
  const { images } = readSources();
  console.log(images.length === 0 ? 'Everything is pinned.' : `Not pinned:\n  ${images.join('\n  ')}`);
  process.exitCode = images.length === 0 ? 0 : 1;
}

/**
 * Reads everything before it writes anything, so that a registry that fails leaves the sources as they are.
 */
async function pin(): Promise<void> {
  const { texts, images } = readSources();
  const digests = await digestsOf(images);
  for (const { file, text } of texts) {
    writeFileSync(
      file,
      withDigests(text, (reference) => digests.get(reference) ?? ''),
    );
  }
  console.log(`Pinned ${images.length} base images.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  await (values.check ? check() : pin());
}
