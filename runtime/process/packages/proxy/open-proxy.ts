/**
 * The one thing that a sandbox which loads packages can reach: reads from the operator's registries, with credentials that never come
 * near it. Of each registry it gives what it knows about a package, and the files that this names; nothing else, and no way to write.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readBody } from '../../../../oci/http.ts';
import { PackagesError } from '../errors.ts';
import { registryPort } from '../inside/order.ts';
import { rewritePackument, rewriteSimpleHtml, rewriteSimpleJson } from './documents.ts';
import type { Registries, Registry } from './registries.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

export interface RegistryProxy {
  /** The first fault of a registry, if there was one. */
  fault(): PackagesError | null;
  close(): void;
}

export interface ProxyOptions {
  socketPath: string;
  registries: Registries;
  upstream: Upstream;
  /** Of all files together. */
  maxDownloadBytes: number;
  /** A registry is at fault: nothing more will come of this. */
  onFault(fault: PackagesError): void;
}

interface KnownFile {
  registry: Registry;
  url: URL;
}

const maxDocumentBytes = 16 * 1024 * 1024;
const maxFiles = 200_000;
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
  server.listen(options.socketPath);
  await once(server, 'listening');
  return {
    fault: () => state.fault,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface State extends ProxyOptions {
  fault: PackagesError | null;
  files: Map<string, KnownFile>;
  downloadedBytes: number;
  note(error: unknown): void;
}

function createState(options: ProxyOptions): State {
  return {
    ...options,
    fault: null,
    files: new Map(),
    downloadedBytes: 0,
    note(error) {
      if (error instanceof PackagesError && this.fault === null) {
        this.fault = error;
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
  const file = state.files.get(fileId);
  return file === undefined
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

async function document(
  state: State,
  registry: Registry,
  url: URL,
  { response, accept }: { response: ServerResponse; accept: string },
): Promise<void> {
  const answered = await state.upstream.ask(registry, url, accept);
  if (answered === null) {
    return end(response, 404);
  }
  const text = await documentText(answered);
  const [contentType, rewritten] = rewriteDocument(answered, text, accept === npmDocument, (target) => {
    if (!/^https?:$/.test(target.protocol) || state.files.size >= maxFiles) {
      return '';
    }
    const url = withoutFragment(target);
    // The same file has the same address each time: package managers write it down among what they make.
    const id = createHash('sha256').update(url.href).digest('hex');
    state.files.set(id, { registry, url });
    const name = target.pathname.split('/').at(-1) ?? '';
    return `${own}/file/${id}/${name === '' ? 'file' : name}${target.hash}`;
  });
  response.writeHead(200, { 'content-type': contentType }).end(rewritten);
}

async function documentText({ body, url }: UpstreamAnswer): Promise<string> {
  try {
    return String(await readBody(body, maxDocumentBytes, 'a document'));
  } catch {
    throw ofRegistry(url, 'did not finish what it knows about a package, or knows too much');
  }
}

function rewriteDocument(
  { url, contentType }: UpstreamAnswer,
  text: string,
  isNpm: boolean,
  rewrite: (target: URL) => string,
): [contentType: string, text: string] {
  try {
    if (isNpm) {
      return ['application/json', rewritePackument(text, url, rewrite)];
    }
    return contentType.startsWith(simpleJson)
      ? [simpleJson, rewriteSimpleJson(text, url, rewrite)]
      : ['text/html', rewriteSimpleHtml(text, url, rewrite)];
  } catch {
    throw ofRegistry(url, 'answers in another form than a package registry does');
  }
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
      state.downloadedBytes += piece.length;
      const isTooMuch = state.downloadedBytes > state.maxDownloadBytes;
      done(
        isTooMuch ? new PackagesError('the packages are larger than PACKAGE_MAX_BYTES allows') : null,
        piece,
      );
    },
  });
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  await pipeline(answered.body, bounded, response);
}

function withoutFragment(url: URL): URL {
  const copy = new URL(url);
  copy.hash = '';
  return copy;
}
