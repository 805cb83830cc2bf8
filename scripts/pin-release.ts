/**
 * What a release does to its sources where the public registries are reachable (docs/operations.md, Building images):
 *   node --import tsx scripts/pin-release.ts [--check]
 * Puts the digest of each base image into the defaults of Dockerfiles and docker-compose.yml, and the checksum of each package that a
 * lock file lists without one. With --check it changes nothing and fails when something is not pinned.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readImage } from '../oci/read-image.ts';
import { publicRegistriesOnly } from '../oci/registry-policy.ts';
import { ownPlatform } from '../oci/resolve-image.ts';

interface LockedPackage {
  version?: string;
  integrity?: string;
  link?: boolean;
}
/** The part of a lock file that this changes. */
export interface LockFile {
  packages: Record<string, LockedPackage>;
}

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

/** The text with `digestOf(reference)` behind each default that has no digest. */
export function withDigests(text: string, digestOf: (reference: string) => string): string {
  return text.replace(imageDefault, (_all, before: string, reference: string) =>
    reference.includes('@') ? before + reference : `${before}${reference}@${digestOf(reference)}`,
  );
}

/** Packages of a lock file that are fetched and have no checksum: `{ path, name, version }`. */
export function unverifiedPackages(lock: LockFile) {
  return Object.entries(lock.packages)
    .filter(([path, { link, integrity }]) => path !== '' && link !== true && integrity === undefined)
    .map(([path, { version = '' }]) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 13),
      version,
    }));
}

/** The lock file with `integrityOf(name, version)` for each package that has none, where npm would put it. */
export function withIntegrity<Lock extends LockFile>(
  lock: Lock,
  integrityOf: (name: string, version: string) => string,
): Lock {
  const packages = { ...lock.packages };
  for (const { path, name, version } of unverifiedPackages(lock)) {
    packages[path] = { version, integrity: integrityOf(name, version), ...omitVersion(packages[path]) };
  }
  return { ...lock, packages };
}

function omitVersion({ version: _version, ...more }: LockedPackage = {}): LockedPackage {
  return more;
}

async function digestsOf(references: string[]): Promise<Map<string, string>> {
  const options = { policy: publicRegistriesOnly, platform: ownPlatform, credentials: null, fileName: null };
  const read = async (reference: string) =>
    [reference, (await readImage(reference, options)).digest] as const;
  return new Map(await Promise.all(references.map(read)));
}

/** As the registry that npm is set to says. */
function publishedIntegrity(name: string, version: string): string {
  const command = ['view', `${name}@${version}`, 'dist.integrity', '--json'];
  const answer: unknown = JSON.parse(execFileSync('npm', command, { encoding: 'utf8' }));
  if (typeof answer !== 'string' || !answer.startsWith('sha512-')) {
    throw new Error(`the registry has no checksum of ${name}@${version}`);
  }
  return answer;
}

function readSources() {
  const lockFiles = execFileSync('git', ['ls-files', '*package-lock.json'], { encoding: 'utf8' });
  const texts = filesWithBaseImages.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const locks = lockFiles
    .trim()
    .split('\n')
    .map((file) => ({ file, lock: JSON.parse(readFileSync(file, 'utf8')) as LockFile }));
  const images = new Set(texts.flatMap(({ text }) => baseImagesOf(text)));
  return { texts, locks, images: [...images].filter((reference) => !reference.includes('@')) };
}

function check(): void {
  const { locks, images } = readSources();
  const packages = locks.flatMap(({ file, lock }) =>
    unverifiedPackages(lock).map(({ name, version }) => `${file}: ${name}@${version}`),
  );
  const open = [...images, ...packages];
  console.log(open.length === 0 ? 'Everything is pinned.' : `Not pinned:\n  ${open.join('\n  ')}`);
  process.exitCode = open.length === 0 ? 0 : 1;
}

/** Reads everything before it writes anything, so that a registry that fails leaves the sources as they are. */
async function pin(): Promise<void> {
  const { texts, locks, images } = readSources();
  const digests = await digestsOf(images);
  const filled = locks.map(({ file, lock }) => ({ file, lock: withIntegrity(lock, publishedIntegrity) }));
  for (const { file, text } of texts) {
    writeFileSync(
      file,
      withDigests(text, (reference) => digests.get(reference) ?? ''),
    );
  }
  for (const { file, lock } of filled) {
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  }
  console.log(`Pinned ${images.length} base images.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  await (values.check ? check() : pin());
}
