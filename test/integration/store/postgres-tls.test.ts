/** How DATABASE_URL asks for TLS (docs/operations.md), against a real server that speaks it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningPostgres, startPostgres } from '../../../bin/start/postgres.ts';
import { openDatabase } from '../../../store/database.ts';
import { openSessionEventFeed } from '../../../store/session-events/feed.ts';

let directory: string;
let server: RunningPostgres;

function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const key = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  for (const authority of ['ca', 'other']) {
    openssl(
      'req',
      '-x509',
      ...key(authority),
      '-out',
      `${authority}.crt`,
      '-subj',
      `/CN=${authority}`,
      '-days',
      '2',
    );
  }
  openssl('req', ...key('server'), '-out', 'server.csr', '-subj', '/CN=server');
  writeFileSync(join(directory, 'server.ext'), 'subjectAltName=DNS:localhost');
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'server.ext'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...authority, '-days', '2');
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postgres-tls-'));
  makeCertificates();
  server = await startPostgres({
    directory: join(directory, 'server'),
    password: 'test',
    settings: {
      ssl: 'on',
      ssl_cert_file: join(directory, 'server.crt'),
      ssl_key_file: join(directory, 'server.key'),
    },
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

function urlOf(host: string, parameters: Record<string, string>): string {
  const url = new URL(server.url('postgres'));
  url.hostname = host;
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

/** Whether this connection is encrypted. Rejects when there is none. */
async function isEncrypted(url: string): Promise<boolean> {
  const db = openDatabase(url, { poolSize: 1 });
  try {
    const { rows } = await db.raw('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0].ssl;
  } finally {
    await db.destroy();
  }
}

const trusting = (name: string) => ({ sslrootcert: join(directory, `${name}.crt`) });

describe('DATABASE_URL', () => {
  it('without sslmode connects unencrypted', async () => {
    expect(await isEncrypted(urlOf('localhost', {}))).toBe(false);
  });

  it.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'with sslmode=%s accepts only a server with a certificate of a trusted authority for its name',
    async (sslmode) => {
      expect(await isEncrypted(urlOf('localhost', { sslmode, ...trusting('ca') }))).toBe(true);
      await expect(isEncrypted(urlOf('localhost', { sslmode }))).rejects.toThrow(/certificate/);
      await expect(isEncrypted(urlOf('localhost', { sslmode, ...trusting('other') }))).rejects.toThrow(
        /certificate|signature/,
      );
      await expect(isEncrypted(urlOf('127.0.0.1', { sslmode, ...trusting('ca') }))).rejects.toThrow(
        /altnames|host/i,
      );
    },
  );

  it('with sslmode=no-verify encrypts without verifying the server', async () => {
    expect(await isEncrypted(urlOf('127.0.0.1', { sslmode: 'no-verify' }))).toBe(true);
  });

  it('applies to the connection that listens for events as well', async () => {
    const feed = openSessionEventFeed(urlOf('localhost', { sslmode: 'verify-full', ...trusting('ca') }));
    await new Promise<void>((resolve) => {
      feed.subscribe('any', resolve);
    });
    await feed.close();
  });
});
