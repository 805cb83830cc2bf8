/** A repository behind https, by git's own server, as hosts have them; and what somebody else's may do. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from './certificate.ts';

/** What the repository `team/private` asks for. */
export const gitPassword = 'user:the-password-of-the-host';

export interface GitServer {
  /** As a repository is registered: name and port. */
  host: string;
  url(path: string): string;
  /** What it serves, on this machine. */
  directory(path: string): string;
  /** PEM of its authority, in a file. */
  caFile: string;
  /** The commit that `main` of each names. */
  commit: string;
  /** Of each request: its path, and whether it had a credential. */
  requests: { path: string; authorization: string | null }[];
  /** While it is true, nothing is answered; then all that waits is. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

const text = 'The first line\nThe second line\n';

/** What `lines.old` has, which its attributes would rewrite both on its way in and out. */
export const asCommitted = '$Id: kept$\r\nlast\r\n';

/**
 * `team/project` and `team/private` have it; `team/moved` leads to the first, `team/endless` never ends, and
 * `team/silent` never answers.
 */
export async function startGitServer(): Promise<GitServer> {
  const directory = mkdtempSync(join(tmpdir(), 'git-server-'));
  const commit = makeRepositories(directory);
  const { key, certificate } = makeCertificate('127.0.0.1');
  const caFile = join(directory, 'authority.pem');
  writeFileSync(caFile, certificate);
  const requests: GitServer['requests'] = [];
  let isHeld = false;
  let waiting: (() => void)[] = [];
  const server = createServer({ key, cert: certificate }, async (request, response) => {
    const { pathname: path } = new URL(request.url ?? '', 'https://host');
    const { authorization = null } = request.headers;
    requests.push({ path, authorization });
    if (isHeld) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    if (path.startsWith('/team/private') && authorization !== basic(gitPassword)) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
    } else if (path.startsWith('/team/moved')) {
      const port = (server.address() as AddressInfo).port;
      const target = request.url?.replace('/team/moved', '/team/project');
      response.writeHead(302, { location: `https://127.0.0.1:${port}${target}` }).end();
    } else if (path.startsWith('/team/endless')) {
      sendForever(response);
    } else if (!path.startsWith('/team/silent')) {
      void serve(request, response, directory);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  return {
    ...{ host, caFile, commit, requests },
    url: (path) => `https://${host}/${path}`,
    directory: (path) => join(directory, 'served', path),
    hold(held) {
      isHeld = held;
      for (const answer of held ? [] : waiting) {
        answer();
      }
      waiting = [];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
}

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

function makeRepositories(directory: string): string {
  const work = join(directory, 'work');
  mkdirSync(join(work, 'src'), { recursive: true });
  const git = (...args: string[]) =>
    String(execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: work })).trim();
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(work, 'readme.md'), 'before\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  const first = git('rev-parse', 'HEAD');
  writeFileSync(join(work, 'readme.md'), text);
  writeFileSync(join(work, 'src/gone.txt'), text);
  writeFileSync(join(work, 'src/run.sh'), '#!/bin/sh\ntrue\n', { mode: 0o755 });
  writeFileSync(join(work, '.gitignore'), 'ignored/\n');
  // Neither is configured anywhere, and a setting of the agent's own counts for the agent alone.
  writeFileSync(join(work, '.gitattributes'), '*.md filter=evil diff=evil\n*.old text ident\n');
  writeFileSync(
    join(work, '.gitmodules'),
    '[submodule "other"]\n\tpath = other\n\turl = https://localhost/other\n',
  );
  symlinkSync('/etc/passwd', join(work, 'out'));
  git('add', '.');
  git('update-index', '--add', '--cacheinfo', `160000,${first},other`);
  writeFileSync(join(directory, 'lines'), asCommitted);
  const lines = git('hash-object', '-w', '--no-filters', join(directory, 'lines'));
  git('update-index', '--add', '--cacheinfo', `100644,${lines},lines.old`);
  git('commit', '--quiet', '-m', 'second');
  git('tag', 'v1');
  for (const name of ['project', 'private']) {
    execFileSync('git', ['clone', '--quiet', '--bare', work, join(directory, 'served/team', name)]);
  }
  makeLarge(directory);
  return git('rev-parse', 'HEAD');
}

/** `team/bomb`: a pack of some kilobytes with files of many megabytes. */
function makeLarge(directory: string): void {
  const work = join(directory, 'bomb');
  mkdirSync(work);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: work });
  git('init', '--quiet', '--initial-branch=main');
  const zeros = Buffer.alloc(16 * 1024 * 1024);
  writeFileSync(join(work, 'a'), zeros);
  writeFileSync(join(work, 'b'), zeros);
  git('add', '.');
  git('commit', '--quiet', '-m', 'large');
  execFileSync('git', ['clone', '--quiet', '--bare', work, join(directory, 'served/team/bomb')]);
}

/** By the interface of web servers to programs. */
async function serve(request: IncomingMessage, response: ServerResponse, directory: string): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://host');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: '/usr/bin:/bin',
      GIT_PROJECT_ROOT: join(directory, 'served'),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const answer = Buffer.concat(await child.stdout.toArray());
  const end = answer.indexOf('\r\n\r\n');
  const headers = answer.subarray(0, end).toString().split('\r\n');
  const pairs = headers.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const status = Number(pairs.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(pairs.filter(([name]) => name !== 'Status')));
  response.end(answer.subarray(end + 4));
}

/** As an advertisement of branches that does not end. */
function sendForever(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
  const line = (content: string) => (content.length + 4).toString(16).padStart(4, '0') + content;
  response.write(`${line('# service=git-upload-pack\n')}0000`);
  const many = Array.from({ length: 1000 }, (_, at) =>
    line(`${'1'.repeat(40)} refs/heads/${at}-${'x'.repeat(900)}\n`),
  ).join('');
  const more = () => {
    while (!response.destroyed && response.write(many)) {
      // Until the reader is slower.
    }
  };
  response.on('drain', more);
  more();
}

/** What is in these files of a repository once a patch is applied to it. */
export function filesAfter(repository: string, patch: string, paths: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'applied-'));
  try {
    execFileSync('git', ['clone', '--quiet', repository, '.'], { cwd: directory });
    execFileSync('git', ['apply', '-'], { cwd: directory, input: Buffer.from(patch, 'latin1') });
    return paths.map((path) => readFileSync(join(directory, path), 'utf8'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
