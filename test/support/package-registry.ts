/** Password-protected npm and Python registries with what a test publishes. They record their requests. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tar } from './images.ts';

export interface PackageRegistry {
  npmUrl: string;
  pypiUrl: string;
  port: number;
  /** Paths, in order. */
  requests: string[];
  /** Publishes a version; the last one is the latest. */
  publishNpm(
    name: string,
    version: string,
    parts: { files: Record<string, string>; more?: object; dist?: object },
  ): void;
  /** `requires` are lines of `Requires-Dist`. */
  publishWheel(name: string, version: string, files: Record<string, string>, requires?: string[]): void;
  /** Other bytes at the address of the wheel than its page describes. */
  swapWheel(name: string, version: string, files: Record<string, string>): void;
  /** Without a wheel: what uv would have to build. */
  publishSource(name: string, version: string, files: Record<string, string>): void;
  /** Answers instead of the registry when it returns true. */
  interfere(how: (request: IncomingMessage, response: ServerResponse) => boolean): void;
  close(): Promise<void>;
}

export const registryPassword = 'reader:correct-horse-battery';
const authorization = `Basic ${Buffer.from(registryPassword).toString('base64')}`;

interface NpmVersion {
  manifest: Record<string, unknown>;
  tarball: Buffer;
  /** Replaces parts of what the registry says of the tarball. */
  dist: object;
}

export async function startPackageRegistry(): Promise<PackageRegistry> {
  const npm = new Map<string, Map<string, NpmVersion>>();
  const wheels = new Map<string, Map<string, Buffer>>();
  const swapped = new Map<string, Buffer>();
  const requests: string[] = [];
  let interfere: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end('who are you');
    } else if (!interfere(request, response)) {
      const origin = `http://${request.headers.host}`;
      const body =
        npmAnswer(npm, path, origin) ??
        swapped.get(/^\/wheels\/([^/]+)$/.exec(path)?.[1] ?? '') ??
        pypiAnswer(wheels, path);
      response.writeHead(body === null ? 404 : 200, { 'content-type': typeOf(path) }).end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    npmUrl: `http://127.0.0.1:${port}/npm/`,
    pypiUrl: `http://127.0.0.1:${port}/simple/`,
    port,
    requests,
    publishNpm(name, version, { files, more = {}, dist = {} }) {
      const manifest = { name, version, ...more };
      const all = { 'package.json': JSON.stringify(manifest), ...files };
      const entries = Object.entries(all).map(([path, content]) => ({
        path: `package/${path}`,
        content,
        mode: 0o755,
      }));
      const tarball = gzipSync(tar(entries));
      npm.set(name, (npm.get(name) ?? new Map()).set(version, { manifest, tarball, dist }));
    },
    publishWheel(name, version, files, requires = []) {
      const file = `${name}-${version}-py3-none-any.whl`;
      wheels.set(name, (wheels.get(name) ?? new Map()).set(file, wheel(name, version, { files, requires })));
    },
    swapWheel(name, version, files) {
      swapped.set(`${name}-${version}-py3-none-any.whl`, wheel(name, version, { files, requires: [] }));
    },
    publishSource(name, version, files) {
      const top = `${name}-${version}`;
      const all = { 'PKG-INFO': metadata(name, version, []), ...files };
      const entries = Object.entries(all).map(([path, content]) => ({ path: `${top}/${path}`, content }));
      wheels.set(name, (wheels.get(name) ?? new Map()).set(`${top}.tar.gz`, gzipSync(tar(entries))));
    },
    interfere(how) {
      interfere = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const typeOf = (path: string) => (path.startsWith('/simple/') ? 'text/html' : 'application/json');

function npmAnswer(all: Map<string, Map<string, NpmVersion>>, path: string, origin: string): Buffer | null {
  const [, name = '', version] = /^\/npm\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
  const versions = all.get(name);
  if (versions === undefined || version !== undefined) {
    return versions?.get(version ?? '')?.tarball ?? null;
  }
  const described = [...versions].map(([each, { manifest, tarball, dist }]) => {
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    return [
      each,
      { ...manifest, dist: { tarball: `${origin}/npm/${name}/-/${each}.tgz`, integrity, ...dist } },
    ];
  });
  const latest = [...versions.keys()].at(-1);
  return Buffer.from(
    JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(described) }),
  );
}

function pypiAnswer(all: Map<string, Map<string, Buffer>>, path: string): Buffer | null {
  const [, name = ''] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
  const [, file = ''] = /^\/wheels\/([^/]+)$/.exec(path) ?? [];
  const wheels = all.get(name.replaceAll('-', '_'));
  if (wheels !== undefined) {
    // Relative, and with a hash, as public indexes have it.
    const links = [...wheels].map(([each, bytes]) => {
      const hash = createHash('sha256').update(bytes).digest('hex');
      return `<a href="../../wheels/${each}#sha256=${hash}">${each}</a>`;
    });
    return Buffer.from(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
  }
  return [...all.values()].flatMap((each) => each.get(file) ?? [])[0] ?? null;
}

const metadata = (name: string, version: string, requires: readonly string[]) =>
  [
    'Metadata-Version: 2.1',
    `Name: ${name.replaceAll('_', '-')}`,
    `Version: ${version}`,
    ...requires.map((each) => `Requires-Dist: ${each}`),
    '',
  ].join('\n');

/** Includes a program of the package's name, which calls `main` of the module of that name. */
function wheel(
  name: string,
  version: string,
  { files, requires }: { files: Record<string, string>; requires: string[] },
): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'wheel-'));
  const info = `${name}-${version}.dist-info`;
  const program = name.replaceAll('_', '-');
  const all: Record<string, string> = {
    ...files,
    [`${info}/METADATA`]: metadata(name, version, requires),
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/entry_points.txt`]: `[console_scripts]\n${program} = ${name}:main\n`,
  };
  const record = Object.keys(all).map((path) => `${path},,\n`);
  all[`${info}/RECORD`] = `${record.join('')}${info}/RECORD,,\n`;
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  try {
    const tops = [...new Set(Object.keys(all).map((path) => path.split('/')[0] ?? ''))];
    execFileSync('python3', ['-m', 'zipfile', '-c', 'out.whl', ...tops], { cwd: directory });
    return readFileSync(join(directory, 'out.whl'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
