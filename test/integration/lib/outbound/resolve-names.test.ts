/**
 * Names are resolved as the system does, from a real name server; one that keeps silent holds nobody else up.
 */
import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { namesUnder, resolveTenantName } from '../../../../lib/outbound/resolve-names.ts';
import { request } from '../../../../lib/outbound/send.ts';
import { abandonAfter } from '../../../../lib/timing/time-limit.ts';
import { type NameRecords, type NameServer, startNameServer } from '../../../support/name-server.ts';

const records: NameRecords = {
  'both.test': { 1: [192, 0, 2, 1], 28: [0x20, 1, 0xd, 0xb8, ...new Array(11).fill(0), 1] },
  'four.test': { 1: [192, 0, 2, 4] },
  'host.corp.test': { 1: [192, 0, 2, 7] },
  'inner.host.corp.test': { 1: [192, 0, 2, 8] },
  'inner.host': { 1: [192, 0, 2, 9] },
};

const directory = mkdtempSync(join(tmpdir(), 'names-'));
const hostsFile = join(directory, 'hosts');
const resolverFile = join(directory, 'resolv.conf');
let nameServer: NameServer;
let services: { hostsFile: string; resolverFile: string; servers: string[]; limitMs: number };

beforeAll(async () => {
  nameServer = await startNameServer(records);
  writeFileSync(
    hostsFile,
    '127.0.0.9 Listed.test other # 192.0.2.99 left.test\n::9 listed.test\nnot-an-address x.test\n',
  );
  writeFileSync(resolverFile, '# a comment\nsearch corp.test\noptions ndots:1\n');
  services = {
    hostsFile,
    resolverFile,
    servers: [nameServer.address],
    limitMs: 10_000,
  };
});
afterAll(() => {
  nameServer.close();
  rmSync(directory, { recursive: true });
});

const resolved = (name: string, more: Partial<typeof services> = {}, signal?: AbortSignal) =>
  resolveTenantName(name, signal, { ...services, ...more });
const addressesOf = async (name: string) => (await resolved(name)).map(({ address }) => address);

describe('a name', () => {
  it.each([
    ['both.test', ['192.0.2.1', '2001:db8::1']],
    ['four.test', ['192.0.2.4']],
    ['FOUR.test.', ['192.0.2.4']],
    ['listed.TEST', ['127.0.0.9', '::9']],
    ['other', ['127.0.0.9']],
    ['localhost', ['127.0.0.1', '::1']],
    ['any.localhost', ['127.0.0.1', '::1']],
    // In the search domain, first or after the name itself.
    ['host', ['192.0.2.7']],
    ['inner.host', ['192.0.2.9']],
  ])('%s has its addresses', async (name, addresses) => {
    expect(await addressesOf(name)).toEqual(addresses);
  });

  it('with fewer dots than `ndots` is first looked for in the search domains', async () => {
    const file = join(directory, 'five-dots');
    writeFileSync(file, 'search corp.test\noptions ndots:5\n');
    expect(await resolved('inner.host', { resolverFile: file })).toEqual([
      { address: '192.0.2.8', family: 4 },
    ]);
  });

  it.each([
    ['nobody.test', 'ENOTFOUND'],
    ['left.test', 'ENOTFOUND'],
    ['x.test', 'ENOTFOUND'],
    ['a.failing.test', 'EAI_AGAIN'],
  ])('%s fails with the code of the system: %s', async (name, code) => {
    await expect(resolved(name)).rejects.toMatchObject({ code });
  });

  it('is the same as the system’s where that answers by itself', async () => {
    const system = (await lookup('localhost', { all: true })).map(({ address }) => address);
    const found = (await resolveTenantName('localhost')).map(({ address }) => address);
    expect(found).toEqual(expect.arrayContaining(system));
  });
});

describe('a name server that keeps silent', () => {
  it('holds up neither other names nor the files and look-ups of the process', async () => {
    const endings = Array.from({ length: 64 }, () => new AbortController());
    const silent = endings.map(({ signal }, index) =>
      resolved(`${index}.silent.test`, {}, signal).catch((error: unknown) => error),
    );
    const others = Promise.all([
      addressesOf('four.test'),
      lookup('localhost', { all: true }),
      namesUnder({ privateHosts: new Map([['localhost:8080', 'http']]) })('localhost'),
      readFile(hostsFile),
    ]);
    expect(
      await Promise.race([others.then(() => 'others'), ...silent.map((one) => one.then(() => 'silent'))]),
    ).toBe('others');
    for (const ending of endings) {
      ending.abort(new Error('nobody waits any more'));
    }
    for (const error of await Promise.all(silent)) {
      expect(error).toMatchObject({ message: 'nobody waits any more' });
    }
  });

  it('ends after the limit, as a failure that may pass', async () => {
    const late = Symbol('late');
    const failed = resolved('one.silent.test', { limitMs: 200 }).catch((error: unknown) => error);
    expect(await abandonAfter(5000, failed, () => late)).toMatchObject({ code: 'EAI_AGAIN' });
  });

  it('ends with its request', async () => {
    const context = {
      policy: { privateHosts: new Map(), setting: 'TEST' },
      resolveName: (name: string, signal?: AbortSignal) => resolved(name, {}, signal),
      workspaceId: null,
      signal: new AbortController().signal,
    };
    const url = new URL('https://two.silent.test/');
    const sent = { method: 'GET', url, timeoutMs: 300, contentTypes: [], maxBytes: 10 } as const;
    await expect(request(context, sent)).rejects.toMatchObject({ code: 'timed_out' });
    expect(nameServer.asked).toContain('two.silent.test');
  });
});

it('an address that a name server gives is checked as any other', async () => {
  records['inside.test'] = { 1: [127, 0, 0, 1] };
  const context = {
    policy: { privateHosts: new Map(), setting: 'TEST' },
    resolveName: (name: string, signal?: AbortSignal) => resolved(name, {}, signal),
    workspaceId: null,
    signal: new AbortController().signal,
  };
  const url = new URL('https://inside.test/');
  const sent = { method: 'GET', url, timeoutMs: 5000, contentTypes: [], maxBytes: 10 } as const;
  await expect(request(context, sent)).rejects.toMatchObject({ code: 'address_refused' });
});
