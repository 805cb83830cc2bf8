/** Handwritten container images, and a registry that serves what it is given, honest or not. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface TarFile {
  path: string;
  content?: string | Buffer;
  /** `0` file, `1` hard link, `2` symbolic link, `5` directory, `x` pax header and so on. */
  type?: string;
  linkTarget?: string;
  /** The header's size, when it is not the content's own. */
  size?: number;
  mode?: number;
}

export const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** One entry: header, content and padding. */
export function tarEntry({
  path,
  content = '',
  type = '0',
  linkTarget = '',
  size,
  mode = 0o644,
}: TarFile): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(linkTarget, 157, 100);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

export function tar(files: readonly TarFile[]): Buffer {
  return Buffer.concat([...files.map(tarEntry), Buffer.alloc(1024)]);
}

/** The pax header with these records for the next entry. */
export function paxHeader(records: Readonly<Record<string, string>>): TarFile {
  const content = Object.entries(records).map(([key, value]) => {
    const text = ` ${key}=${value}\n`;
    const digits = String(Buffer.byteLength(text));
    const length = Buffer.byteLength(text) + digits.length;
    return `${String(length).length > digits.length ? length + 1 : length}${text}`;
  });
  return { path: 'PaxHeader', type: 'x', content: content.join('') };
}

export interface Blob {
  mediaType: string;
  bytes: Buffer;
}

export interface TestImage {
  manifest: Blob;
  digest: string;
  blobs: Blob[];
}

export interface ImageContent {
  layers?: readonly Buffer[];
  /** The bytes that are sent for a layer; gzip by default. */
  sent?: (layer: Buffer, at: number) => Buffer;
  layerType?: string;
  config?: object;
  configuration?: object;
  manifest?: object;
}

const oci = 'application/vnd.oci.image';

/** An image of these layers (tar archives, the lowest first). */
export function image({
  layers = [],
  sent = gzipSync as (layer: Buffer) => Buffer,
  layerType = `${oci}.layer.v1.tar+gzip`,
  config = { Entrypoint: ['/server'], Cmd: ['--stdio'], Env: ['PATH=/bin'], User: '1000' },
  configuration = {},
  manifest = {},
}: ImageContent = {}): TestImage {
  const layerBlobs = layers.map((layer, at) => ({ mediaType: layerType, bytes: sent(layer, at) }));
  const configBlob = jsonBlob(`${oci}.config.v1+json`, {
    os: 'linux',
    architecture: 'amd64',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
    ...configuration,
  });
  const manifestBlob = jsonBlob(`${oci}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${oci}.manifest.v1+json`,
    config: descriptorOf(configBlob),
    layers: layerBlobs.map(descriptorOf),
    ...manifest,
  });
  return {
    manifest: manifestBlob,
    digest: digestOf(manifestBlob.bytes),
    blobs: [configBlob, ...layerBlobs],
  };
}

/** An index of images by architecture. */
export function index(images: Readonly<Record<string, Pick<TestImage, 'manifest'>>>): Blob {
  return jsonBlob(`${oci}.index.v1+json`, {
    schemaVersion: 2,
    manifests: Object.entries(images).map(([architecture, { manifest }]) => ({
      ...descriptorOf(manifest),
      platform: { os: 'linux', architecture },
    })),
  });
}

export function jsonBlob(mediaType: string, value: object): Blob {
  return { mediaType, bytes: Buffer.from(JSON.stringify(value)) };
}

export function descriptorOf({ mediaType, bytes }: Blob): object {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}

export interface TestRegistry {
  /** `127.0.0.1:port`. */
  host: string;
  /** Everything that was asked for, in order. */
  requests: { url: string; authorization: string | undefined }[];
  serve(name: string, content: Blob): void;
  /** The image under this tag, with its blobs. */
  push(repository: string, tag: string, image: TestImage): void;
  close(): Promise<void>;
}

/** Runs before the registry; returns true when it has answered. */
export type Interfere = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Implements what reading needs of the registry protocol, in memory. `interfere` makes it hostile. */
export async function startTestRegistry(interfere: Interfere = () => false): Promise<TestRegistry> {
  const contents = new Map<string, Blob>();
  const requests: TestRegistry['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    if (interfere(request, response)) {
      return;
    }
    const found = contents.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': found?.mediaType ?? 'text/plain' });
    response.end(found?.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const serve = (path: string, content: Blob) => contents.set(path, content);
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    serve,
    push(repository, tag, { manifest, digest, blobs }) {
      serve(`/v2/${repository}/manifests/${tag}`, manifest);
      serve(`/v2/${repository}/manifests/${digest}`, manifest);
      for (const blob of blobs) {
        serve(`/v2/${repository}/blobs/${digestOf(blob.bytes)}`, blob);
      }
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
