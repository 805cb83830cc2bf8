/**
 * From a reference to the one image for a platform: digest, manifest and configuration, every byte verified.
 */

import { readResponseBody } from '../outbound/send.ts';
import { requireDigest, sha256Digest } from './digest.ts';
import {
  type Descriptor,
  type ImageConfiguration,
  type ImageIndex,
  type ImageManifest,
  parseConfiguration,
  parseManifestOrIndex,
} from './documents.ts';
import { ImageError } from './errors.ts';
import type { ImageLimits } from './limits.ts';
import { formatReference, type ImageReference } from './reference.ts';
import type { RegistryClient } from './registry-client.ts';

export interface Platform {
  os: 'linux';
  architecture: 'amd64' | 'arm64';
}

/** This machine's platform; sessions run where their images are read. */
export const ownPlatform: Platform = {
  os: 'linux',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
};

export interface ResolvedImage {
  /**
   * Digest of what the reference names: of an index where there is one, so that it is
   * valid for every platform.
   */
  digest: string;
  manifest: ImageManifest;
  configuration: ImageConfiguration;
}

/** Throws ImageError. */
export async function resolveImage(
  client: RegistryClient,
  limits: ImageLimits,
  reference: ImageReference,
  platform: Platform,
): Promise<ResolvedImage> {
  const named = reference.digest ?? reference.tag ?? 'latest';
  const { bytes, declaredDigest } = await client.manifest(named);
  const digest = reference.digest ?? declaredDigest ?? sha256Digest(bytes);
  requireDigest(bytes, digest, `the manifest of ${formatReference(reference)}`);
  const manifest = await descend(client, limits, bytes, platform, limits.indexDepth);
  if (manifest.layers.length > limits.layers) {
    throw new ImageError('too_large', `the image has more than ${limits.layers} layers`);
  }
  const configuration = await readConfiguration(client, limits, manifest.config);
  if (configuration.os !== platform.os || configuration.architecture !== platform.architecture) {
    throw missing(platform, `${configuration.os}/${configuration.architecture}`);
  }
  if (configuration.config.Volumes.length > limits.volumes) {
    throw new ImageError('too_large', `the image declares more than ${limits.volumes} volumes`);
  }
  if (configuration.rootfs.diff_ids.length !== manifest.layers.length) {
    throw new ImageError('invalid_response', 'the image lists other layers than its configuration');
  }
  return { digest, manifest, configuration };
}

async function descend(
  client: RegistryClient,
  limits: ImageLimits,
  bytes: Buffer,
  platform: Platform,
  depthLeft: number,
): Promise<ImageManifest> {
  const parsed = parseManifestOrIndex(bytes, 'what the reference names');
  if (parsed.kind === 'manifest') {
    return parsed.manifest;
  }
  if (depthLeft === 0) {
    throw new ImageError(
      'too_large',
      `the image has more than ${limits.indexDepth} indexes inside each other`,
    );
  }
  const chosen = choose(parsed.index, platform);
  const { bytes: next } = await client.manifest(chosen.digest);
  requireDigest(next, chosen.digest, 'a manifest of the index');
  return descend(client, limits, next, platform, depthLeft - 1);
}

/**
 * The matching manifest; one without a platform is inspected when it is the only one. Engines differ in which
 * of several they choose, so several are refused: what is read here is what runs.
 */
function choose({ manifests }: ImageIndex, platform: Platform): Descriptor {
  const only = manifests.length === 1 && manifests[0]?.platform === undefined ? manifests[0] : undefined;
  const [fitting, another] = manifests.filter((entry) => fits(entry, platform));
  if (another !== undefined) {
    throw new ImageError(
      'invalid_response',
      `the index names several images for ${platform.os}/${platform.architecture}`,
    );
  }
  const chosen = fitting ?? only;
  if (chosen === undefined) {
    const there = manifests.flatMap(({ platform: its }) =>
      its === undefined || its.os === 'unknown' ? [] : [`${its.os}/${its.architecture}`],
    );
    throw missing(platform, [...new Set(there)].slice(0, 10).join(', '));
  }
  return chosen;
}

/** Baseline variants: images for newer processors do not run on every machine. */
const plainVariants = { amd64: ['v1', undefined, ''], arm64: ['v8', undefined, ''] };

function fits({ platform: its }: ImageIndex['manifests'][number], { os, architecture }: Platform): boolean {
  return (
    its?.os === os && its.architecture === architecture && plainVariants[architecture].includes(its.variant)
  );
}

async function readConfiguration(
  client: RegistryClient,
  limits: ImageLimits,
  { digest }: Descriptor,
): Promise<ImageConfiguration> {
  const what = 'the configuration of the image';
  const bytes = await readResponseBody(await client.blob(digest), limits.documentBytes, what);
  requireDigest(bytes, digest, what);
  return parseConfiguration(bytes, what);
}

function missing({ os, architecture }: Platform, there: string): ImageError {
  return new ImageError(
    'platform_missing',
    `the image is not made for ${os}/${architecture}, only for ${there || 'others'}`,
  );
}
