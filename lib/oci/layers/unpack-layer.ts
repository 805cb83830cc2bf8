/**
 * A layer's bytes, unpacked and verified twice: as they were sent, and as the image's
 * configuration lists them unpacked.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { verified } from '../digest.ts';
import type { Descriptor } from '../documents.ts';
import { ImageError } from '../errors.ts';
import type { ImageLimits } from '../limits.ts';

/** What remains of one image's limits for its layers. */
export interface LayerBudget {
  compressedBytes: number;
  uncompressedBytes: number;
}

const compressionByMediaType: Readonly<Record<string, 'none' | 'gzip' | 'zstd'>> = {
  'application/vnd.oci.image.layer.v1.tar': 'none',
  'application/vnd.oci.image.layer.v1.tar+gzip': 'gzip',
  'application/vnd.oci.image.layer.v1.tar+zstd': 'zstd',
  'application/vnd.docker.image.rootfs.diff.tar': 'none',
  'application/vnd.docker.image.rootfs.diff.tar.gzip': 'gzip',
};

/**
 * Throws ImageError `unsupported_media_type` for a layer that cannot be unpacked here, before any request.
 */
export function layerCompression({ mediaType }: Descriptor): 'none' | 'gzip' {
  const compression = compressionByMediaType[mediaType];
  if (compression === 'none' || compression === 'gzip') {
    return compression;
  }
  const what = compression === 'zstd' ? 'zstd' : JSON.stringify(mediaType);
  throw new ImageError(
    'unsupported_media_type',
    `a layer of the image is ${what}, which cannot be read here: paste the manifest, or build the image with gzip layers`,
  );
}

/** Charges the budget as it goes. Throws ImageError. Nothing it yields is trustworthy before it has ended. */
export async function* unpackLayer(
  source: AsyncIterable<Buffer>,
  layer: Descriptor,
  diffId: string,
  limits: ImageLimits,
  budget: LayerBudget,
): AsyncGenerator<Buffer> {
  let sentBytes = 0;
  let unpackedBytes = 0;
  const sent = verified(source, layer.digest, 'a layer of the image', (count) => {
    sentBytes += count;
    budget.compressedBytes -= count;
    refuseIf(
      sentBytes > layer.size,
      'digest_mismatch',
      `a layer is larger than the ${layer.size} bytes it is said to have`,
    );
    refuseIf(
      budget.compressedBytes < 0,
      'too_large',
      `the layers are larger than ${limits.compressedBytes} bytes`,
    );
  });
  const unpacked = layerCompression(layer) === 'gzip' ? gunzipped(sent) : sent;
  yield* verified(unpacked, diffId, 'an unpacked layer of the image', (count) => {
    unpackedBytes += count;
    budget.uncompressedBytes -= count;
    const allowed = limits.ratioFreeBytes + sentBytes * limits.ratio;
    refuseIf(
      unpackedBytes > allowed,
      'too_large',
      `a layer unpacks to more than ${limits.ratio} times its size`,
    );
    refuseIf(
      budget.uncompressedBytes < 0,
      'too_large',
      `the layers unpack to more than ${limits.uncompressedBytes} bytes`,
    );
  });
}

async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  let failure: unknown = null;
  const done = pipeline(Readable.from(source, { objectMode: false }), gunzip).catch((error: unknown) => {
    failure = error;
  });
  try {
    for await (const chunk of gunzip) {
      yield chunk;
    }
  } catch (error) {
    await done;
    throw readable(failure ?? error);
  } finally {
    gunzip.destroy();
  }
  await done;
  if (failure !== null) {
    throw readable(failure);
  }
}

/** Translates zlib's errors about damaged data for the admin; passes everything else through. */
function readable(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /^Z_/.test(code)
    ? new ImageError('unreadable_layer', 'a layer of the image is not the gzip data that it is said to be')
    : error;
}

function refuseIf(condition: boolean, code: 'too_large' | 'digest_mismatch', message: string): void {
  if (condition) {
    throw new ImageError(code, message);
  }
}
