/** Packages of `npx` entries: loaded once by a sandbox through the platform's proxy, then run from a cache (docs/decisions/0030). */
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
  cachedBut,
  keysOf,
  open,
  registry,
  start,
  usePackageRegistry,
  workspaceId,
} from './package-sessions.ts';
import { server } from './package-sources.ts';

usePackageRegistry();

describeWith('bwrap')('packages of npx entries', () => {
  it('are loaded at the first start; the second contacts no registry and installs nothing, also by another worker', async () => {
    const runtime = await open();
    const first = await start(runtime, ['-y', 'probe-server', '--flag', 'a b']);
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
  });

  it('cannot be changed by the server that runs from them', async () => {
    const { told } = await start(await open(), ['-y', 'probe-server']);
    expect(told.writes).toEqual(['EROFS', 'EROFS', 'EROFS', 'EROFS']);
  });

  it('an install script sees no secret, reaches only the proxy, and gets only packages from it', async () => {
    const { told } = await start(await open(), ['-y', 'probe-server']);
    const { installed } = told;
    if (typeof installed !== 'object') {
      throw new Error('the install script did not run');
    }
    const statuses = installed.answers.map(({ status }) => status);
    expect(statuses).toEqual([405, 405, 405, 403, 403, 403, 403, 403, 403, 403, 200]);
    expect(installed.reached).toEqual(['ENETUNREACH', 'ECONNREFUSED', 'ECONNREFUSED']);
    expect(installed.interfaces).toEqual(['lo']);
    expect(installed.run.sort()).toEqual([
      'platform',
      'platform/mcp',
      'platform/mcp/registry.sock',
      'platform/mcp/result.sock',
    ]);
    const all = JSON.stringify(installed);
    const [, password = ''] = registryPassword.split(':');
    for (const secret of [
      password,
      Buffer.from(registryPassword).toString('base64'),
      String(registry().port),
    ]) {
      expect(all).not.toContain(secret);
      // The script itself knows the port.
      for (const file of cachedBut('look.js')) {
        expect(readFileSync(file, 'latin1')).not.toContain(secret);
      }
    }
    expect(Object.keys(installed.env).filter((name) => /TOKEN|SECRET|KEY|PASSWORD/.test(name))).toEqual([]);
  });

  it('with one byte changed on the disk are detected and loaded again', async () => {
    const runtime = await open();
    await start(runtime, ['-y', 'probe-server']);
    registry().requests.length = 0;
    const serverFile = () => cached().find((path) => path.endsWith('/server.js')) ?? '';
    const file = serverFile();
    const text = readFileSync(file, 'utf8');
    chmodSync(file, 0o755);
    writeFileSync(file, text.replace('TOLD', 'LIED'));
    chmodSync(file, 0o555);
    expect((await start(runtime, ['-y', 'probe-server'])).told).toMatchObject({ version: '1.0.0' });
    expect(registry().requests).toContain('/npm/probe-server');
    expect(cached().filter((path) => readFileSync(path, 'latin1').includes('LIED'))).toEqual([]);

    registry().requests.length = 0;
    writeFileSync(join(serverFile(), '../added.js'), 'module.exports = 2;');
    await start(runtime, ['-y', 'probe-server']);
    expect(registry().requests).toContain('/npm/probe-server');
  });

  it('are not shared between workspaces', async () => {
    const runtime = await open();
    await start(runtime, ['-y', 'probe-server']);
    registry().requests.length = 0;
    const other = randomUUID();
    await start(runtime, ['-y', 'probe-server'], { of: other });
    expect(registry().requests).toContain('/npm/probe-server');
    expect(keysOf(other)).toEqual(keysOf(workspaceId).filter((key) => keysOf(other).includes(key)));
    expect(keysOf(other)).toHaveLength(1);
  });

  it('without a version are refreshed after a time, and used unchanged while the registry is unreachable', async () => {
    registry().publishNpm('moving', '1.0.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    const patient = await open();
    const impatient = await open({ refreshAfterMs: 1 });
    expect((await start(patient, ['-y', 'moving'])).told.version).toBe('1.0.0');
    registry().publishNpm('moving', '1.1.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    expect((await start(patient, ['-y', 'moving'])).told.version).toBe('1.0.0');
    expect((await start(impatient, ['-y', 'moving'])).told.version).toBe('1.1.0');
    expect((await start(impatient, ['-y', 'moving@1.0.0'])).told.version).toBe('1.0.0');
    registry().requests.length = 0;
    expect((await start(impatient, ['-y', 'moving@1.0.0'])).told.version).toBe('1.0.0');
    expect(registry().requests).toEqual([]);

    registry().interfere((request) => {
      request.socket.destroy();
      return true;
    });
    expect((await start(impatient, ['-y', 'moving'])).told.version).toBe('1.1.0');
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
    const runtime = await open({ outboundProxy: { url, except: [] } });
    await start(runtime, ['-y', 'probe-server'], { of: randomUUID() });
    const basic = `Basic ${Buffer.from('proxy-user:proxy-password').toString('base64')}`;
    expect(asked).toContainEqual([`127.0.0.1:${registry().port}`, basic]);
    asked.length = 0;
    const direct = await open({ outboundProxy: { url, except: ['127.0.0.1'] } });
    await start(direct, ['-y', 'probe-server'], { of: randomUUID() });
    expect(asked).toEqual([]);
    outbound.close();
    outbound.closeAllConnections();
  });
});
