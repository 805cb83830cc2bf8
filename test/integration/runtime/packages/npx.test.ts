/** Packages of `npx` entries: loaded once by a sandbox, then run from a cache (docs/decisions/0062). */
import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { registryPassword } from '../../../support/package-registry.ts';
import { describeWith } from '../../../support/sandbox-programs.ts';
import {
  cached,
  keysOf,
  load,
  open,
  openLoader,
  registry,
  start,
  usePackageRegistry,
  versionOf,
  workspaceId,
} from './package-sessions.ts';
import { server } from './package-sources.ts';

usePackageRegistry();

describeWith('bwrap')('packages of npx entries', () => {
  it('are loaded at the first start; the second contacts no registry and installs nothing, also by another worker', async () => {
    const first = await start(await open(), ['-y', 'probe-server', '--flag', 'a b']);
    expect(first.told).toMatchObject({ version: '1.0.0', args: ['--flag', 'a b'] });
    expect(registry().requests).toContain('/npm/probe-server');
    registry().requests.length = 0;
    // Beside them, each session that uses them leaves a mark.
    const packages = () => cached().filter((path) => path.includes('/node_modules/'));
    const installed = packages();
    expect(installed).not.toEqual([]);

    const second = await start(await open(), ['-y', 'probe-server', 'other']);
    expect(second.told).toMatchObject({ version: '1.0.0', args: ['other'] });
    expect(registry().requests).toEqual([]);
    expect(packages()).toEqual(installed);

    for (const { told } of [first, second]) {
      // The server that runs from them cannot change them.
      expect(told.writes).toEqual(['EROFS', 'EROFS', 'EROFS', 'EROFS']);
      // None of their scripts ran.
      expect(told.installed).toBe('ENOENT');
    }
    expect(cached().filter((path) => path.endsWith('seen.json'))).toEqual([]);
    const [, password = ''] = registryPassword.split(':');
    for (const secret of [password, Buffer.from(registryPassword).toString('base64')]) {
      expect(cached().filter((file) => readFileSync(file, 'latin1').includes(secret))).toEqual([]);
    }
  });

  it('with one byte changed on the disk are detected and loaded again', async () => {
    const loader = await openLoader();
    const of = randomUUID();
    await load(loader, ['-y', 'probe-server'], { of });
    registry().requests.length = 0;
    const serverFile = () => cached().find((path) => path.includes(of) && path.endsWith('/server.js')) ?? '';
    const file = serverFile();
    const text = readFileSync(file, 'utf8');
    chmodSync(file, 0o755);
    writeFileSync(file, text.replace('TOLD', 'LIED'));
    chmodSync(file, 0o555);
    expect((await load(loader, ['-y', 'probe-server'], { of })).cause).toBeNull();
    expect(registry().requests).toContain('/npm/probe-server');
    expect(cached().filter((path) => readFileSync(path, 'latin1').includes('LIED'))).toEqual([]);

    registry().requests.length = 0;
    writeFileSync(join(serverFile(), '../added.js'), 'module.exports = 2;');
    expect((await load(loader, ['-y', 'probe-server'], { of })).cause).toBeNull();
    expect(registry().requests).toContain('/npm/probe-server');
  });

  it('are not shared between workspaces', async () => {
    const loader = await openLoader();
    await load(loader, ['-y', 'probe-server']);
    registry().requests.length = 0;
    const other = randomUUID();
    await load(loader, ['-y', 'probe-server'], { of: other });
    expect(registry().requests).toContain('/npm/probe-server');
    expect(keysOf(other)).toEqual(keysOf(workspaceId).filter((key) => keysOf(other).includes(key)));
    expect(keysOf(other)).toHaveLength(1);
  });

  it('without a version are refreshed after a time, and used unchanged while the registry is unreachable', async () => {
    registry().publishNpm('moving', '1.0.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    const patient = await openLoader();
    const impatient = await openLoader({ refreshAfterMs: 1 });
    const versionWith = async (loader: typeof patient, spec: string) =>
      versionOf(await load(loader, ['-y', spec]), 'moving');
    expect(await versionWith(patient, 'moving')).toBe('1.0.0');
    registry().publishNpm('moving', '1.1.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    expect(await versionWith(patient, 'moving')).toBe('1.0.0');
    expect(await versionWith(impatient, 'moving')).toBe('1.1.0');
    expect(await versionWith(impatient, 'moving@1.0.0')).toBe('1.0.0');
    registry().requests.length = 0;
    expect(await versionWith(impatient, 'moving@1.0.0')).toBe('1.0.0');
    expect(registry().requests).toEqual([]);

    registry().interfere((request) => {
      request.socket.destroy();
      return true;
    });
    expect(await versionWith(impatient, 'moving')).toBe('1.1.0');
    expect(registry().requests).not.toEqual([]);
  });

  it('are loaded through the proxy of the operator, if configured', async () => {
    const asked: (string | undefined)[][] = [];
    const outbound = createServer();
    outbound.on('connect', (request, client) => {
      asked.push([request.url, request.headers['proxy-authorization']]);
      const target = connect(registry().port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => target.destroy());
    });
    await new Promise<void>((resolve) => outbound.listen(0, '127.0.0.1', resolve));
    const { port } = outbound.address() as AddressInfo;
    const url = `http://proxy-user:proxy-password@127.0.0.1:${port}`;
    const through = openLoader({ outboundProxy: { url, except: [] } });
    expect((await load(through, ['-y', 'probe-server'], { of: randomUUID() })).cause).toBeNull();
    const basic = `Basic ${Buffer.from('proxy-user:proxy-password').toString('base64')}`;
    expect(asked).toContainEqual([`127.0.0.1:${registry().port}`, basic]);
    asked.length = 0;
    const direct = openLoader({ outboundProxy: { url, except: ['127.0.0.1'] } });
    expect((await load(direct, ['-y', 'probe-server'], { of: randomUUID() })).cause).toBeNull();
    expect(asked).toEqual([]);
    outbound.close();
    outbound.closeAllConnections();
  });
});
