/**
 * The one thing that a sandbox which loads packages can reach: reads from the operator's registries, with credentials that never
 * enter it. Serves each registry's package documents, and the files that they name; nothing else, and no writes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readResponseBody } from '../../../../lib/outbound/get.ts';
import { createSlots, type Slots } from '../../../slots.ts';
import { PackagesError } from '../errors.ts';
import { registryPort } from '../inside/order.ts';
import { createDocumentCache, type Document } from './document-cache.ts';
import { createDocumentReader, type DocumentKind, type DocumentReader } from './document-reader.ts';
import type { Registries, Registry } from './registries.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

export interface RegistryProxy {
  close(): void;
}

export interface ProxyOptions {
  socketPath: string;
  registries: Registries;
  upstream: Upstream;
  /** Of all files and documents together. */
  maxDownloadBytes: number;
  /** A registry failed: loading can no longer succeed. */
  onFault(fault: PackagesError): void;
}

const maxDocumentBytes = 16 * 1024 * 1024;
/** Per load, in memory: each may reach the size limit. Only one is parsed at a time. */
const documentsAtOnce = 8;
const keptDocumentBytes = 64 * 1024 * 1024;
/** Package managers have some 50. */
const maxConnections = 1024;
const npmDocument = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';
const simpleJson = 'application/vnd.pypi.simple.v1+json';
const simpleDocument = `${simpleJson}, application/vnd.pypi.simple.v1+html; q=0.2, text/html; q=0.1`;
const own = `http://127.0.0.1:${registryPort}`;

export async function openRegistryProxy(options: ProxyOptions): Promise<RegistryProxy> {
  const state = createState(options);
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => {
      state.note(error);
      end(response, 502);
    });
  });
  server.maxConnections = maxConnections;
  server.listen(options.socketPath);
  await once(server, 'listening');
  return {
    close() {
      state.closed.abort();
      state.reader.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

interface State extends ProxyOptions {
  reader: DocumentReader;
  documentOf: ReturnType<typeof createDocumentCache>;
  inSlot: Slots;
  closed: AbortController;
  downloadedBytes: number;
  /** Throws PackagesError when the total is too large. */
  count(bytes: number): void;
  note(error: unknown): void;
}

function createState(options: ProxyOptions): State {
  return {
    ...options,
    reader: createDocumentReader(own),
    documentOf: createDocumentCache(keptDocumentBytes),
    inSlot: createSlots(documentsAtOnce),
    closed: new AbortController(),
    downloadedBytes: 0,
    count(bytes) {
      this.downloadedBytes += bytes;
      if (this.downloadedBytes > options.maxDownloadBytes) {
        throw new PackagesError('the packages are larger than PACKAGE_MAX_BYTES allows');
      }
    },
    note(error) {
      if (error instanceof PackagesError) {
        options.onFault(error);
      }
    },
  };
}

const npmPath = /^\/npm\/((?:@[\w.~-]+(?:\/|%2f))?[\w~][\w.~-]*)$/i;
const simplePath = /^\/pypi\/([a-z0-9][\w.-]*)\/?$/i;
const filePath = /^\/file\/([0-9a-f]{64})\/[^/?#]+?(\.metadata)?$/;

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return end(response, 405);
  }
  const path = request.url ?? '';
  const [, npmName] = npmPath.exec(path) ?? [];
  const [, project] = simplePath.exec(path) ?? [];
  const [, fileId = '', metadata] = filePath.exec(path) ?? [];
  const { npm, uv } = state.registries;
  if (npmName !== undefined && npm !== null) {
    const name = npmName.replace('/', '%2f');
    return document(state, npm, new URL(name, npm.url), { response, accept: npmDocument });
  }
  if (project !== undefined && uv !== null) {
    return document(state, uv, new URL(`${project}/`, uv.url), { response, accept: simpleDocument });
  }
  const file = fileId === '' ? null : await knownFile(state, fileId);
  return file === null
    ? end(response, 403)
    : sendFile(state, file, {
        response,
        isMetadata: metadata !== undefined && !file.url.pathname.endsWith('.metadata'),
      });
}

function end(response: ServerResponse, status: number): void {
  if (response.headersSent) {
    response.destroy();
  } else {
    response.writeHead(status, { connection: 'close' }).end();
  }
}

interface KnownFile {
  registry: Registry;
  url: URL;
}

async function knownFile({ reader, registries }: State, id: string): Promise<KnownFile | null> {
  const known = await reader.find(id);
  const registry = known === null ? null : registries[known.manager];
  return known === null || registry === null ? null : { registry, url: new URL(known.href) };
}

async function document(
  state: State,
  registry: Registry,
  url: URL,
  { response, accept }: { response: ServerResponse; accept: string },
): Promise<void> {
  const made = await state.documentOf(url.href, () =>
    state.inSlot(state.closed.signal, () => load(state, registry, url, accept)),
  );
  if (made === null) {
    return end(response, 404);
  }
  response.writeHead(200, { 'content-type': made.contentType }).end(made.bytes);
}

async function load(state: State, registry: Registry, url: URL, accept: string): Promise<Document | null> {
  const answered = await state.upstream.ask(registry, url, accept);
  if (answered === null) {
    return null;
  }
  const { url: from, body } = answered;
  const bytes = await readResponseBody(body, maxDocumentBytes, 'a document').catch(() => {
    throw ofRegistry(from, 'did not finish what it knows about a package, or knows too much');
  });
  state.count(bytes.length);
  const kind = kindOf(answered, accept === npmDocument);
  const read = await state.reader.read(kind, bytes, from);
  if (read === null) {
    throw ofRegistry(from, 'answers in another form than a package registry does, or knows too much');
  }
  state.count(Math.max(0, read.length - bytes.length));
  return { contentType: contentTypes[kind], bytes: read };
}

const contentTypes: Record<DocumentKind, string> = {
  packument: 'application/json',
  simple_json: simpleJson,
  simple_html: 'text/html',
};

function kindOf({ contentType }: UpstreamAnswer, isNpm: boolean): DocumentKind {
  if (isNpm) {
    return 'packument';
  }
  return contentType.startsWith(simpleJson) ? 'simple_json' : 'simple_html';
}

const ofRegistry = ({ host }: URL, what: string) =>
  new PackagesError(`the package registry ${host} ${what}`, { shownAs: 'registry_unreachable' });

async function sendFile(
  state: State,
  { registry, url }: KnownFile,
  { response, isMetadata }: { response: ServerResponse; isMetadata: boolean },
): Promise<void> {
  const target = isMetadata ? new URL(`${url.pathname}.metadata${url.search}`, url) : url;
  const answered = await state.upstream.ask(registry, target, '*/*');
  if (answered === null) {
    return end(response, 404);
  }
  const bounded = new Transform({
    transform(piece: Buffer, _encoding, done) {
      try {
        state.count(piece.length);
        done(null, piece);
      } catch (error) {
        done(error instanceof Error ? error : null);
      }
    },
  });
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  await pipeline(answered.body, bounded, response);
}
