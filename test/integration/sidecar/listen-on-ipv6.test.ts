/** A sidecar whose Pod has IPv6 alone, in a real network without any other address. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const canMakeNetworks = spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

(canMakeNetworks ? describe : describe.skip)('a sidecar on IPv6 alone', () => {
  it('reports that address, answers others there, and refuses everybody inside, the link-local way too', async () => {
    const program = 'test/integration/sidecar/inside/listen-on-ipv6.ts';
    const command = ['--net', process.execPath, '--import', 'tsx', program];
    const { stdout } = await promisify(execFile)('unshare', command);
    expect(JSON.parse(stdout)).toEqual({
      host: '[fd00::9]',
      neighbour: 'answered',
      own: ['refused', 'refused', 'refused', 'refused'],
    });
  });
});
