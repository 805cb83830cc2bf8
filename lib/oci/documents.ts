/**
 * Image indexes, manifests and configurations (OCI image specification 1.1, Docker schema 2):
 * the fields that are read.
 */
import * as z from 'zod';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { ImageError } from './errors.ts';

/** An index of 1,000 images with their platforms and annotations has some 15,000. */
const maxValues = 20_000;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be a sha256 digest');
const size = z.int().nonnegative();
/** May appear in error messages. */
const word = z.string().max(255);
const platform = z.object({ os: word, architecture: word, variant: word.optional() });
const descriptor = z.object({ mediaType: word, digest, size });
export type Descriptor = z.infer<typeof descriptor>;

const index = z.object({
  schemaVersion: z.literal(2),
  manifests: z.array(descriptor.extend({ platform: platform.optional() })).max(1000),
});
export type ImageIndex = z.infer<typeof index>;

const manifest = z.object({
  schemaVersion: z.literal(2),
  config: descriptor,
  layers: z.array(descriptor),
});
export type ImageManifest = z.infer<typeof manifest>;

const texts = z
  .array(z.string())
  .max(1000)
  .nullish()
  .transform((list) => list ?? []);
const text = z
  .string()
  .max(4096)
  .nullish()
  .transform((value) => value ?? '');
const names = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((record) => Object.keys(record ?? {}));
const configuration = z.object({
  os: word,
  architecture: word,
  rootfs: z.object({ type: z.literal('layers'), diff_ids: z.array(digest) }),
  config: z
    .object({ Entrypoint: texts, Cmd: texts, Env: texts, User: text, WorkingDir: text, Volumes: names })
    .nullish()
    .transform(
      (value) => value ?? { Entrypoint: [], Cmd: [], Env: [], User: '', WorkingDir: '', Volumes: [] },
    ),
});
export type ImageConfiguration = z.infer<typeof configuration>;

const configurationTypes = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);

/**
 * What the bytes are, decided by their content alone: a registry's headers are not covered by the digest.
 * Bytes that could be read as both are refused. Throws ImageError.
 */
export function parseManifestOrIndex(
  bytes: Buffer,
  what: string,
): { kind: 'index'; index: ImageIndex } | { kind: 'manifest'; manifest: ImageManifest } {
  const value = parseJson(bytes, what);
  const has = (key: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  if (has('manifests') === (has('layers') || has('config'))) {
    throw new ImageError('unsupported_media_type', `${what} is neither an image nor an index of images`);
  }
  if (has('manifests')) {
    return { kind: 'index', index: parse(index, value, what) };
  }
  const parsed = parse(manifest, value, what);
  if (!configurationTypes.has(parsed.config.mediaType)) {
    const message = `${what} is not a container image, but ${JSON.stringify(parsed.config.mediaType)}`;
    throw new ImageError('unsupported_media_type', message);
  }
  return { kind: 'manifest', manifest: parsed };
}

/** Throws ImageError `invalid_response`. */
export function parseConfiguration(bytes: Buffer, what: string): ImageConfiguration {
  return parse(configuration, parseJson(bytes, what), what);
}

function parseJson(bytes: Buffer, what: string): unknown {
  const parsed = parseBoundedJson(bytes, maxValues);
  if ('problem' in parsed) {
    throw new ImageError('invalid_response', `${what} ${parsed.problem}`);
  }
  return parsed.value;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const [issue] = result.error.issues;
  throw new ImageError('invalid_response', `${what}: ${issue?.path.join('.')} ${issue?.message}`);
}
