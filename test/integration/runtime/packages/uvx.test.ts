/** Packages of `uvx` entries, with the real uv. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { registryPassword } from '../../../support/package-registry.ts';
import { describeWith } from '../../../support/sandbox-programs.ts';
import { describeWithUv } from '../../../support/uv.ts';
import { cached, load, open, openLoader, registry, start, usePackageRegistry } from './package-sessions.ts';
import { python } from './package-sources.ts';

usePackageRegistry();

describeWith('bwrap')('packages of uvx entries', () => {
  it('fail with a sentence where uv is missing', async () => {
    const without = openLoader({ uvProgram: '/no/such/uv' });
    const { text } = await load(without, ['time-server'], { command: 'uvx' });
    expect(text).toContain('The platform could not load the packages');
  });

  describeWithUv('with uv', () => {
    it.each(['no-such-server', 'known-server==9.9'])('that do not exist are reported: %s', async (spec) => {
      registry().publishWheel('known_server', '1.0.0', python('1.0.0'));
      const { cause } = await load(openLoader(), ['--from', spec, 'known-server'], { command: 'uvx' });
      expect(cause).toBe('package_not_found');
    });

    it('are loaded at the first start; the second contacts no registry, and cannot change them', async () => {
      registry().publishWheel('time_server', '1.0.0', python('1.0.0'));
      const runtime = await open();
      const first = await start(runtime, ['time-server', '--zone', 'UTC'], { command: 'uvx' });
      expect(first.told).toEqual({ version: '1.0.0', args: ['--zone', 'UTC'], writes: 30 });
      expect(registry().requests).toContain('/simple/time-server/');
      registry().publishWheel('time_server', '1.1.0', python('1.1.0'));
      registry().requests.length = 0;
      const second = await start(runtime, ['time-server'], { command: 'uvx' });
      expect(second.told.version).toBe('1.0.0');
      expect(registry().requests).toEqual([]);
      const named = await start(runtime, ['--from', 'time-server==1.1.0', 'time-server'], { command: 'uvx' });
      expect(named.told.version).toBe('1.1.0');
      const secrets = [registryPassword.split(':')[1] ?? ''];
      for (const file of cached()) {
        expect(secrets.filter((secret) => readFileSync(file, 'latin1').includes(secret))).toEqual([]);
      }
    });
  });
});
