/** Reads the metadata of a catalog entry's image from its registry before the entry is stored. */

import type { EntryImage } from '../../commands/mcp-servers/decided-fields.ts';
import type { ApiConfig } from '../../config/api.ts';
import { emptyManifest, type Manifest, type McpServerInput } from '../../contract/catalog.ts';
import { referencedSecretName } from '../../contract/names.ts';
import type { PatternTask } from '../../contract/patterns.ts';
import { ImageError } from '../../lib/oci/errors.ts';
import { type ImageFacts, readImage } from '../../lib/oci/read-image.ts';
import { registryPolicy } from '../../lib/oci/registry-policy.ts';
import { ownPlatform } from '../../lib/oci/resolve-image.ts';
import type { PatternChecker } from '../../lib/patterns/pattern-checker.ts';
import type { Db } from '../../store/database.ts';
import { ApiError, invalid } from '../errors.ts';
import { judgePatterns } from '../judge-patterns.ts';
import { parseManifestFile, type RunPatterns } from './parse-manifest-file.ts';
import { readRegistryCredentials } from './registry-credentials.ts';

/** Null for an entry that is not an image. Throws ApiError with a field below `shape`; stores nothing. */
export type ReadEntryImage = (
  by: { workspaceId: string; userId: string },
  input: McpServerInput,
) => Promise<EntryImage | null>;

const manifestFile = 'mcp-manifest.json';
/** Layers are unpacked in this process, so concurrent reads are limited; no user can take all slots, however many workspaces they have. */
const maxReads = 8;
const maxReadsOfUser = 2;

export interface EntryImageDependencies {
  db: Db;
  config: ApiConfig;
  patterns: PatternChecker;
}

export function createReadEntryImage({ db, config, patterns }: EntryImageDependencies): ReadEntryImage {
  const policy = registryPolicy(config.PRIVATE_REGISTRIES, config.REGISTRY_REALMS);
  const judge = (userId: string) => (tasks: readonly PatternTask[]) => judgePatterns(patterns, userId, tasks);
  const begin = createReadSlots();
  return async ({ workspaceId, userId }, { name, shape, manifest, image_digest }) => {
    if (shape.type !== 'image') {
      return null;
    }
    const end = begin(userId);
    try {
      const secret = referencedSecretName(shape.registry_secret ?? '');
      const credentials =
        secret === null
          ? null
          : await readRegistryCredentials(db, config.MASTER_KEYS, { workspaceId, entry: name, secret });
      // A pasted manifest wins, and then no layer is read.
      const fileName = manifest === undefined ? manifestFile : null;
      const facts = await readImage(shape.image, { policy, credentials, platform: ownPlatform, fileName });
      refuseChanged(facts, image_digest);
      return await describe(facts, manifest, judge(userId));
    } catch (error) {
      throw error instanceof ImageError
        ? invalid([{ path: 'shape.image', code: error.code, message: error.message }])
        : error;
    } finally {
      end();
    }
  };
}

/** Takes a read slot and returns its release function. Throws 503 `unavailable` when none is free. */
function createReadSlots(): (userId: string) => () => void {
  const running: string[] = [];
  return (userId) => {
    const own = running.filter((id) => id === userId).length;
    if (running.length >= maxReads || own >= maxReadsOfUser) {
      throw new ApiError('unavailable', 'Other images are being read; try again', { retryAfterSeconds: 5 });
    }
    running.push(userId);
    return () => void running.splice(running.indexOf(userId), 1);
  };
}

/** Throws `validation_failed` when the reference no longer resolves to the image that the admin saw. */
function refuseChanged({ digest }: ImageFacts, seen: string | undefined): void {
  if (seen !== undefined && seen !== digest) {
    const message = `the image is ${digest} by now; check it again`;
    throw invalid([{ path: 'image_digest', code: 'image_changed', message }]);
  }
}

async function describe(
  { digest, command, volumes, file }: ImageFacts,
  pasted: Manifest | undefined,
  runPatterns: RunPatterns,
): Promise<EntryImage> {
  const image = { digest, command, volumes };
  if (pasted !== undefined) {
    return { ...image, manifest: pasted, manifestSource: 'pasted' };
  }
  return file === null
    ? { ...image, manifest: emptyManifest, manifestSource: 'none' }
    : { ...image, manifest: await parseManifestFile(file, runPatterns), manifestSource: 'image' };
}
