/** How an answer of the cluster, or of something in its place, is interpreted. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Cluster, openCluster } from '../../../../runtime/kubernetes/cluster.ts';
import { session } from './pods.ts';

let directory: string;
let server: Server;
let cluster: Cluster;
let answer: { status: number; body: string };

const says = (status: number, reason: string, message: string) => {
  answer = {
    status,
    body: JSON.stringify({ kind: 'Status', status: 'Failure', reason, message, code: status }),
  };
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cluster-'));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-days', '2', '-subj', '/CN=cluster', ...curve, ...files], {
    stdio: 'pipe',
  });
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    request.resume().once('end', () => response.writeHead(answer.status).end(answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const kubeconfig = join(directory, 'kubeconfig');
  const named = (content: object) => [{ name: 'it', ...content }];
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: named({ cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }),
      users: named({ user: { token: 'worker' } }),
      contexts: named({ context: { cluster: 'it', user: 'it' } }),
      'current-context': 'it',
    }),
  );
  cluster = await openCluster({ kubeconfig, namespace: 'sessions' });
});
afterAll(() => {
  cluster.close();
  server.close();
  rmSync(directory, { recursive: true });
});

describe('creating the objects of a Pod', () => {
  const parts: [string, () => Promise<void>][] = [
    ['a Secret', () => cluster.createSecret({ metadata: { name: 's' } })],
    ['a policy', () => cluster.createNetworkPolicy({ metadata: { name: 'p' } } as never)],
  ];

  it.each(parts)('succeeds when %s exists already', async (_what, make) => {
    says(409, 'AlreadyExists', 'secrets "s" already exists');
    await expect(make()).resolves.toBeUndefined();
  });

  it.each(parts)('fails with a retryable error when a quota changed during %s', async (_what, make) => {
    says(
      409,
      'Conflict',
      'Operation cannot be fulfilled on resourcequotas "sessions": the object has been modified; please apply your changes to the latest version and try again',
    );
    await expect(make()).rejects.toMatchObject({ status: 409, isTemporary: true });
  });
});

describe('a Pod', () => {
  it('is missing only when the cluster reports so, and not for another server’s 404', async () => {
    says(404, 'NotFound', 'pods "x" not found');
    expect(await cluster.readPod(session)).toBeNull();
    answer = { status: 404, body: '<html>No such page</html>' };
    await expect(cluster.readPod(session)).rejects.toMatchObject({ status: 404 });
  });

  it('with the name of an earlier one is distinguished by its uid', async () => {
    says(409, 'Conflict', 'Precondition failed: UID in precondition: a, UID in object meta: b');
    await expect(cluster.deletePod(session, 'a', null)).resolves.toBeUndefined();
    await expect(cluster.openGate(session, 'a')).rejects.toMatchObject({ isTemporary: false });
  });
});
