/**
 * What the platform needs to know of an image, read over the registry protocol: nothing
 * is run, nothing is stored.
 */
import { OutboundError, type OutboundErrorCode } from '../outbound/errors.ts';
import type { ResolveName } from '../outbound/guarded-lookup.ts';
import { namesUnder } from '../outbound/resolve-names.ts';
import { withinLimit } from '../timing/time-limit.ts';
import type { RegistryCredentials } from './authorize.ts';
import { ImageError, type ImageErrorCode } from './errors.ts';
import { findFile } from './layers/find-file.ts';
import { layerCompression, unpackLayer } from './layers/unpack-layer.ts';
import { defaultImageLimits, type ImageLimits } from './limits.ts';
import { parseReference } from './reference.ts';
import { createRegistryClient, type RegistryClient } from './registry-client.ts';
import type { RegistryPolicy } from './registry-policy.ts';
import { type Platform, type ResolvedImage, resolveImage } from './resolve-image.ts';
import { readTar } from './tar/read-tar.ts';

export interface ReadImageOptions {
  /** Whose configuration names the image; null for the platform's own. */
  workspaceId: string | null;
  policy: RegistryPolicy;
  credentials: RegistryCredentials | null;
  platform: Platform;
  /** A file at the image's root to read, without a slash; null reads no layer at all. */
  fileName: string | null;
  limits?: ImageLimits;
  resolveName?: ResolveName;
  certificateAuthority?: string;
}

export interface ImageFacts {
  /** What the reference resolves to; `name@digest` always means this image. */
  digest: string;
  /** Entrypoint and command as one argument list; never empty. */
  command: string[];
  user: string;
  workingDirectory: string;
  /** Paths that it declares as volumes. */
  volumes: string[];
  /** `NAME=value` as the image has them. */
  env: string[];
  /** Null when the image has no such file, or none was asked for. */
  file: Buffer | null;
}

/** Throws ImageError and nothing else. */
export async function readImage(text: string, options: ReadImageOptions): Promise<ImageFacts> {
  const reference = parseReference(text);
  const limits = options.limits ?? defaultImageLimits;
  const ended = new AbortController();
  return withinLimit(limits.timeMs, ended.signal, async (signal) => {
    const context = { ...options, resolveName: options.resolveName ?? namesUnder(options.policy), signal };
    const client = createRegistryClient(context, limits, reference, options.credentials);
    try {
      const image = await resolveImage(client, limits, reference, options.platform);
      const facts = processOf(image);
      const file = options.fileName === null ? null : await readFile(client, limits, image, options.fileName);
      return { digest: image.digest, ...facts, file };
    } catch (error) {
      if (error instanceof ImageError) {
        throw error;
      }
      if (error instanceof OutboundError) {
        throw new ImageError(imageErrorCode(error.code), error.message);
      }
      if (signal.aborted) {
        throw new ImageError('time_limit', `${reference.registry} took longer than ${limits.timeMs} ms`);
      }
      throw new ImageError(
        'registry_unreachable',
        `${reference.registry} cannot be reached${reasonOf(error)}`,
      );
    } finally {
      // Drops whatever is still being sent.
      ended.abort();
    }
  });
}

function imageErrorCode(code: OutboundErrorCode): ImageErrorCode {
  switch (code) {
    case 'unreachable':
    case 'connection_refused':
    case 'certificate_refused':
    case 'client_certificate_required':
    case 'tls_failed':
      return 'registry_unreachable';
    case 'insecure':
      return 'insecure_registry';
    case 'timed_out':
      return 'time_limit';
    case 'redirect_refused':
    case 'unexpected_content_type':
      return 'invalid_response';
    default:
      return code;
  }
}

function processOf({ configuration }: ResolvedImage): Omit<ImageFacts, 'digest' | 'file'> {
  const { Entrypoint, Cmd, Env, User, WorkingDir, Volumes } = configuration.config;
  const command = [...Entrypoint, ...Cmd];
  if (command.length === 0 || command[0] === '') {
    throw new ImageError(
      'no_entrypoint',
      'the image names nothing to run: it has neither ENTRYPOINT nor CMD',
    );
  }
  return { command, user: User, workingDirectory: WorkingDir, volumes: Volumes, env: Env };
}

/** From the top layer down, to the first that has the file or hides it. */
async function readFile(
  client: RegistryClient,
  limits: ImageLimits,
  { manifest, configuration }: ResolvedImage,
  name: string,
): Promise<Buffer | null> {
  manifest.layers.forEach(layerCompression);
  const budget = { compressedBytes: limits.compressedBytes, uncompressedBytes: limits.uncompressedBytes };
  for (const [at, layer] of [...manifest.layers.entries()].toReversed()) {
    const sent = await client.blob(layer.digest);
    const unpacked = unpackLayer(sent, layer, configuration.rootfs.diff_ids[at] ?? '', limits, budget);
    const found = await findFile(readTar(unpacked), name, limits.fileBytes);
    if (found.kind !== 'absent') {
      return found.kind === 'file' ? found.content : null;
    }
  }
  return null;
}

/** The system's code, such as ECONNREFUSED: library messages may echo their input. */
function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? ` (${code})` : '';
}
