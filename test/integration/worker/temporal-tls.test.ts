import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createWorkflowClient } from '../../../api/workflow-client.ts';
import { connectToTemporal } from '../../../bin/worker/temporal.ts';
import { temporalConnection } from '../../../config/temporal.ts';
import { temporalAddress } from '../../support/temporal.ts';

/** A proxy before the real server that speaks TLS and requires client certificates of its authority. */
let front: Server;
let directory: string;
const pem = (name: string) => readFileSync(join(directory, name), 'utf8');

/** A certificate authority, and a certificate of it for the server and for the client. */
function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const days = ['-days', '2'];
  const key = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  openssl('req', '-x509', ...key('ca'), '-out', 'ca.crt', '-subj', '/CN=test authority', ...days);
  for (const name of ['server', 'client']) {
    openssl('req', ...key(name), '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const extensions = join(directory, `${name}.ext`);
    execFileSync('sh', ['-c', `printf 'subjectAltName=DNS:temporal.test' > ${extensions}`]);
    const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', extensions];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, ...authority, ...days);
  }
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'temporal-tls-'));
  makeCertificates();
  const [host = '', port = ''] = temporalAddress().split(':');
  front = createServer(
    {
      key: pem('server.key'),
      cert: pem('server.crt'),
      ca: pem('ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket: TLSSocket) => {
      const upstream = connect(Number(port), host);
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => upstream.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    },
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => front.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

const settings = (over: Record<string, string>) =>
  temporalConnection({
    TEMPORAL_ADDRESS: `127.0.0.1:${(front.address() as AddressInfo).port}`,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TLS_CA: pem('ca.crt'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    ...over,
  });
const withCertificate = () =>
  settings({ TEMPORAL_TLS_CERT: pem('client.crt'), TEMPORAL_TLS_KEY: pem('client.key') });

describe('Temporal over mTLS', () => {
  it('is reached by the API and by the worker with their certificate', async () => {
    const client = createWorkflowClient(withCertificate());
    // The server answers that no such workflow runs: the request arrived.
    expect(await client.signalSession('00000000-0000-4000-8000-000000000000', 'terminate')).toBe(false);
    await client.close();
    const log = pino({ enabled: false });
    const connection = await connectToTemporal(withCertificate(), log, AbortSignal.timeout(20_000));
    await connection.close();
  });

  it('is unreachable without a certificate', async () => {
    const client = createWorkflowClient({ ...settings({}), timeoutMs: 1_500 });
    await expect(
      client.signalSession('00000000-0000-4000-8000-000000000000', 'terminate'),
    ).rejects.toMatchObject({ code: 'unavailable' });
    await client.close();
  });
});
