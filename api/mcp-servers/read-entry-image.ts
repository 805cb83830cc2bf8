/** Reads the metadata of a catalog entry's image from its registry before the entry is stored. */
import type { EntryImage } from '../../commands/mcp-servers/mcp-servers.ts';
import { openSecret } from '../../commands/secrets/secrets.ts';
import type { ApiConfig } from '../../config/api.ts';
import type { MasterKeys } from '../../config/keys.ts';
import { emptyManifest, type Manifest, type McpServerInput, manifest } from '../../contract/catalog.ts';
import { fieldProblemsOf } from '../../contract/errors.ts';
import { holdsMoreValues, maxRequestValues } from '../../contract/json-values.ts';
import { manifestPatterns, manifestProblems } from '../../contract/manifest-validation.ts';
import { referencedSecretName } from '../../contract/names.ts';
import type { JudgePattern, PatternTask } from '../../contract/patterns.ts';
import type { RegistryCredentials } from '../../lib/oci/authorize.ts';
import { ImageError } from '../../lib/oci/errors.ts';
import { type ImageFacts, readImage } from '../../lib/oci/read-image.ts';
import { registryPolicy } from '../../lib/oci/registry-policy.ts';
import { ownPlatform } from '../../lib/oci/resolve-image.ts';
import type { PatternChecker, PatternOwner } from '../../lib/patterns/pattern-checker.ts';
import type { Db } from '../../store/database.ts';
import { type ApiError, invalid } from '../errors.ts';
import { judgePatterns } from '../judge-patterns.ts';
import { createShares } from '../middleware/concurrency-limit.ts';

/** Null for an entry that is not an image. Throws ApiError with a field below `shape`; stores nothing. */
export type ReadEntryImage = (
  by: { workspaceId: string; userId: string },
  input: McpServerInput,
) => Promise<EntryImage | null>;

const manifestFile = 'mcp-manifest.json';
/** Layers are unpacked in this process. */
const reads = {
  name: 'reads of images at a time',
  whole: 8,
  shares: { user: 2, workspace: 4 },
  retryAfterSeconds: 5,
};

interface EntryImageDependencies {
  db: Db;
  config: ApiConfig;
  patterns: PatternChecker;
}

export function createReadEntryImage({ db, config, patterns }: EntryImageDependencies): ReadEntryImage {
  const policy = registryPolicy(config.PRIVATE_REGISTRIES, config.REGISTRY_REALMS);
  const judge = (owner: PatternOwner) => (tasks: readonly PatternTask[]) =>
    judgePatterns(patterns, owner, tasks);
  const enter = createShares(reads);
  return async ({ workspaceId, userId }, { name, shape, manifest, image_digest }) => {
    if (shape.type !== 'image') {
      return null;
    }
    const leave = enter({ user: userId, workspace: workspaceId });
    try {
      const secret = referencedSecretName(shape.registry_secret ?? '');
      const credentials =
        secret === null
          ? null
          : await readRegistryCredentials(db, config.MASTER_KEYS, { workspaceId, entry: name, secret });
      // A pasted manifest wins, and then no layer is read.
      const fileName = manifest === undefined ? manifestFile : null;
      const options = { workspaceId, policy, credentials, platform: ownPlatform, fileName };
      const facts = await readImage(shape.image, options);
      refuseChanged(facts, image_digest);
      return await describe(facts, manifest, judge({ userId, workspaceId }));
    } catch (error) {
      throw error instanceof ImageError
        ? invalid([{ path: 'shape.image', code: error.code, message: error.message }])
        : error;
    } finally {
      leave();
    }
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

const maxProblems = 5;

type RunPatterns = (tasks: readonly PatternTask[]) => Promise<JudgePattern>;

/**
 * Parses the manifest in an image's file by the rules of a pasted one. Throws ImageError
 * `manifest_malformed`.
 */
async function parseManifestFile(file: Buffer, runPatterns: RunPatterns): Promise<Manifest> {
  const parsed = manifest.safeParse(parseJson(file));
  const problems = parsed.success
    ? manifestProblems(parsed.data, await runPatterns(manifestPatterns(parsed.data)))
    : fieldProblemsOf(parsed.error, ['manifest']);
  if (parsed.success && problems.length === 0) {
    return parsed.data;
  }
  const named = problems.slice(0, maxProblems).map(({ path, message }) => `${path}: ${message}`);
  throw malformed(named.join('; '));
}

function parseJson(file: Buffer): unknown {
  if (holdsMoreValues(file, maxRequestValues)) {
    throw malformed(`it holds more than ${maxRequestValues} JSON values`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file));
  } catch {
    throw malformed('is not JSON');
  }
}

function malformed(reason: string): ImageError {
  return new ImageError('manifest_malformed', `/mcp-manifest.json of the image is not usable: ${reason}`);
}

/**
 * Opens the workspace secret that an entry names for its registry: `user:password`, by the same rules as an
 * attachment's secrets. Throws `validation_failed` at `shape.registry_secret`, never with any of the value.
 */
async function readRegistryCredentials(
  db: Db,
  masterKeys: MasterKeys,
  { workspaceId, entry, secret: name }: { workspaceId: string; entry: string; secret: string },
): Promise<RegistryCredentials> {
  const opened = await openSecret(db, masterKeys, { workspaceId, name, server: entry });
  if ('refusal' in opened) {
    throw refused(opened.refusal);
  }
  return parseCredentials(name, opened.value);
}

function parseCredentials(name: string, text: string): RegistryCredentials {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1 || /[\r\n]/.test(text)) {
    const message = `the secret ${name} must be user:password, on one line`;
    throw refused({ code: 'not_credentials', message });
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function refused(problem: { code: string; message: string }): ApiError {
  return invalid([{ path: 'shape.registry_secret', ...problem }]);
}
