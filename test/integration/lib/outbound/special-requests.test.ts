/**
 * Every way to a special address that a server, an admin or a resolver may try, against
 * listeners that must hear nothing.
 */
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { describeWithNamespaces, inNamespaces } from '../../relay/relay-process.ts';
import { toAdd } from './special-addresses.ts';
import type { Report } from './special-requests.ts';

const program = 'test/integration/lib/outbound/special-requests.ts';
const addresses = toAdd
  .map((address) => `ip address add ${address}/${address.includes(':') ? '128 nodad' : '32'} dev lo`)
  .join(' && ');

describeWithNamespaces('requests to hosts that others choose', () => {
  it('never reach a special address, however it is written, redirected to or resolved', () => {
    const script = `ip link set lo up && ${addresses} && exec "$0" --import tsx ${program}`;
    const [unshare = '', ...rest] = inNamespaces(['--net'], 'sh', '-c', script, process.execPath);
    const report = JSON.parse(execFileSync(unshare, rest, { encoding: 'utf8' })) as Report;
    process.stdout.write(`${report.attempts} attempts at special addresses, ${report.arrived} arrived\n`);
    expect(report).toMatchObject({ arrived: 0, answered: 1, unexpected: [] });
    // Without the guard each listener is reached, at both of its ports.
    expect(report.reachedWithoutGuard).toBe((toAdd.length - 1 + 3) * 2);
    expect(report.attempts).toBeGreaterThan(4000);
  });
});
