/**
 * The demo identity provider as the program that docker-compose.yml runs, with the real API in front of it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { demoPeople } from '../../../bin/start/demo-content.ts';
import { signInAtProvider } from '../../../bin/start/provider-sign-in.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';

const program = 'deploy/demo-identity/server.mjs';
let directory: string;
let issuer: string;
let publicUrl: string;
let api: TestApi;
let provider: ChildProcess;

async function startProvider(environment: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program], {
    env: { ISSUER: issuer, PUBLIC_URL: publicUrl, KEYS_DIR: directory, ...environment },
    stdio: 'ignore',
  });
  await untilFound('the demo identity provider', async () => {
    const answer = await fetch(`${issuer}/health`).catch(() => null);
    return answer?.ok ? true : null;
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'demo-identity-'));
  issuer = `http://127.0.0.1:${await chooseTestPort()}`;
  const port = await chooseTestPort();
  publicUrl = `http://localhost:${port}`;
  provider = await startProvider();
  api = await startTestApi({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'platform',
    PUBLIC_URL: publicUrl,
    PORT: String(port),
    DEMO_SIGN_IN: 'false',
  });
});
afterAll(async () => {
  await stop(provider);
  await api.stop();
  rmSync(directory, { recursive: true, force: true });
});

const me = z.object({ user: z.object({ id: z.string(), email: z.string(), name: z.string() }) });

describe('the demo identity provider', () => {
  it.each(['ada', 'max', 'nora'] as const)('signs %s in by a click, as the demo users', async (name) => {
    const person = await signInAtProvider(publicUrl, name);
    const { email, name: fullName } = demoPeople[name];
    expect(me.parse(await person.send('GET', '/me')).user).toMatchObject({ email, name: fullName });
    expect(await api.db('users').where({ subject: name }).first('issuer', 'email_verified')).toEqual({
      issuer,
      email_verified: true,
    });
  });

  it('has the same users after a restart, and signs with the same key', async () => {
    const keys = async () => (await fetch(`${issuer}/jwks`)).json();
    const before = await keys();
    await stop(provider);
    provider = await startProvider();
    expect(await keys()).toEqual(before);
    await signInAtProvider(publicUrl, 'ada');
    expect(statSync(join(directory, 'demo-identity.json')).mode & 0o777).toBe(0o600);
  });

  it('refuses everyone else', async () => {
    await expect(signInAtProvider(publicUrl, 'mallory')).rejects.toThrow('cannot sign in');
    await expect(signInAtProvider(publicUrl, '__proto__')).rejects.toThrow('cannot sign in');
  });

  it.each([
    ['PUBLIC_URL', { PUBLIC_URL: 'https://platform.example' }],
    ['ISSUER', { ISSUER: 'http://identity.example:9000' }],
  ])('refuses an address other than this machine: %s', async (name, environment) => {
    const child = spawn(process.execPath, [program], {
      env: { ISSUER: issuer, PUBLIC_URL: publicUrl, KEYS_DIR: directory, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`${name} must be an address on localhost`));
  });

  it('has an image of its own, with the same version of its one package as the tests use', () => {
    const versionIn = (file: string) =>
      z
        .object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) })
        .parse(JSON.parse(readFileSync(file, 'utf8'))).packages['node_modules/oidc-provider']?.version;
    expect(versionIn('deploy/demo-identity/package-lock.json')).toBe(versionIn('package-lock.json'));
  });
});
