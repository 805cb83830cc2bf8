/**
 * Reading from the reference implementation of the registry protocol: open, with passwords,
 * and with tokens over TLS.
 */
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { registryPolicy } from '../../../../lib/oci/registry-policy.ts';
import {
  type DockerRegistry,
  hasDockerRegistry,
  pushImage,
  pushManifest,
  startDockerRegistry,
} from '../../../support/docker-registry.ts';
import { digestOf, image, index, tar } from '../../../support/images.ts';
import { allowing, fileName, outcome, read } from './reading.ts';

const made = image({
  layers: [tar([{ path: 'bin/', type: '5' }]), tar([{ path: fileName, content: 'text' }])],
});
const arm = image({ configuration: { architecture: 'arm64' } });
const both = index({ arm64: arm, amd64: made });
const credentials = { user: 'ada', password: 'the-password' };
const wrong = { user: 'ada', password: 'another' };

(hasDockerRegistry ? describe : describe.skip)('a real registry', () => {
  const directory = mkdtempSync(join(tmpdir(), 'oci-'));
  const storage = join(directory, 'storage');
  let open: DockerRegistry;

  beforeAll(async () => {
    open = await startDockerRegistry(storage);
    await pushImage(open.host, 'team/server', '1', made);
    await pushImage(open.host, 'team/server', 'arm', arm);
    await pushManifest(open.host, 'team/server', 'both', both);
  });
  afterAll(async () => {
    await open.stop();
    rmSync(directory, { recursive: true });
  });

  it('is read by tag, by digest and through an index', async () => {
    const facts = { digest: made.digest, command: ['/server', '--stdio'], file: Buffer.from('text') };
    expect(await read(open.host, 'team/server:1')).toMatchObject(facts);
    expect(await read(open.host, `team/server@${made.digest}`)).toMatchObject(facts);
    expect(await read(open.host, 'team/server:both')).toMatchObject({
      ...facts,
      digest: digestOf(both.bytes),
    });
  });

  it.each(['team/server:none', 'team/nothing:1', `team/server@sha256:${'0'.repeat(64)}`])(
    'reports that %s does not exist',
    async (name) => {
      expect(await outcome(open.host, name)).toMatchObject({ code: 'not_found' });
    },
  );

  it('requires a password and accepts the right one', async () => {
    const file = join(directory, 'htpasswd');
    // bcrypt of the password, with the fewest rounds.
    writeFileSync(file, 'ada:$2b$04$GW4JYP9Idmc0nJq.ORPTGecWkpjMzTR.VTDDMsPgSPPoZB0wNu0w6\n');
    const registry = await startDockerRegistry(storage, { auth: { htpasswd: { realm: 'x', path: file } } });
    try {
      expect(await outcome(registry.host, 'team/server:1', { credentials })).toBe('text');
      expect(await outcome(registry.host, 'team/server:1')).toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('registry_secret'),
      });
      const refused = await outcome(registry.host, 'team/server:1', { credentials: wrong });
      expect(refused).toMatchObject({ code: 'unauthorized' });
      expect(JSON.stringify(refused)).not.toContain(wrong.password);
    } finally {
      await registry.stop();
    }
  });

  it('over TLS refers to its token server, which issues a token for the requested scope', async () => {
    const { key, certificate } = makeCertificate(directory);
    const tokens = await startTokenServer(readFileSync(key, 'utf8'), readFileSync(certificate, 'utf8'));
    const registry = await startDockerRegistry(storage, {
      http: { tls: { certificate, key } },
      auth: { token: { realm: tokens.realm, service: 's', issuer: 'i', rootcertbundle: certificate } },
    });
    try {
      const policy = registryPolicy(
        new Map([registry.host, tokens.host].map((host) => [host, 'https' as const])),
        new Map([[registry.host, [tokens.host]]]),
      );
      const certificateAuthority = readFileSync(certificate, 'utf8');
      const trusted = { policy, certificateAuthority };
      expect(await outcome(registry.host, 'team/server:1', { ...trusted, credentials })).toBe('text');
      for (const refused of [wrong, null]) {
        expect(
          await outcome(registry.host, 'team/server:1', { ...trusted, credentials: refused }),
        ).toMatchObject({
          code: 'unauthorized',
        });
      }
      expect(await outcome(registry.host, 'team/server:1', { policy, credentials })).toMatchObject({
        code: 'registry_unreachable',
        message: expect.stringContaining('SELF_SIGNED'),
      });
      expect(await outcome(registry.host, 'team/server:1', { policy: allowing() })).toMatchObject({
        code: 'address_refused',
      });
    } finally {
      await registry.stop();
      await tokens.stop();
    }
  });
});

function makeCertificate(directory: string): { key: string; certificate: string } {
  const key = join(directory, 'key.pem');
  const certificate = join(directory, 'certificate.pem');
  const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ],
    { stdio: 'ignore' },
  );
  return { key, certificate };
}

/** Issues a token for the requested access to anyone with the password. */
async function startTokenServer(
  key: string,
  cert: string,
): Promise<{ realm: string; host: string; stop(): Promise<void> }> {
  const expected = `Basic ${Buffer.from(`ada:the-password`).toString('base64')}`;
  const server = createServer({ key, cert }, async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'https://tokens.test');
    const [type, name, actions] = (searchParams.get('scope') ?? '').split(':');
    if (request.headers.authorization !== expected) {
      response.writeHead(401).end();
      return;
    }
    const token = await new SignJWT({ access: [{ type, name, actions: actions?.split(',') }] })
      .setProtectedHeader({
        alg: 'RS256',
        typ: 'JWT',
        x5c: [new X509Certificate(cert).raw.toString('base64')],
      })
      .setIssuer('i')
      .setSubject('ada')
      .setAudience('s')
      .setNotBefore('-1 minute')
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .setJti('1')
      .sign(createPrivateKey(key));
    response.end(JSON.stringify({ token }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    realm: `https://${host}/token`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
