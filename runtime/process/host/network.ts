/**
 * User-mode networking for one network namespace: access to the internet, but not to this machine, its
 * neighbours or a metadata service.
 */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { specialIpv4Ranges } from '../../../lib/outbound/special-ranges.ts';
import { abandonAfter } from '../../../lib/timing/time-limit.ts';
import { ownNetworks } from './own-networks.ts';

const readyTimeoutMs = 5000;

/**
 * Every special range, and every network that this machine is on; slirp4netns' own addresses are
 * routed more specifically.
 */
export function blockedRoutes(): string[] {
  return [...new Set([...specialIpv4Ranges, ...ownNetworks().map(({ network }) => network)])];
}

/**
 * As root, its sandbox would unmount shared mounts of the machine, such as the network namespaces
 * of container engines below /run/netns, without a private mount namespace. Other users cannot
 * unmount what is not theirs.
 */
const ownMounts = () =>
  process.getuid?.() === 0 ? ['unshare', '--mount', '--propagation', 'private', '--'] : [];

/** Connects the namespace of a process. The connection ends with `stop`, and with this process. */
export async function connectNetwork(pid: number): Promise<{ stop(): void }> {
  const [program = '', ...before] = [...ownMounts(), 'slirp4netns'];
  const slirp = spawn(
    program,
    [
      ...before,
      '--configure',
      '--mtu=65520',
      '--disable-host-loopback',
      // It parses untrusted packets.
      '--enable-sandbox',
      '--enable-seccomp',
      '--ready-fd=3',
      '--exit-fd=4',
      String(pid),
      'tap0',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { PATH: '/usr/local/bin:/usr/bin:/bin' } },
  );
  const stop = () => {
    slirp.kill('SIGTERM');
  };
  const ready = new Promise<void>((resolve, reject) => {
    (slirp.stdio[3] as Readable).once('data', () => resolve());
    slirp.once('error', reject);
    slirp.once('exit', (code) => reject(new Error(`slirp4netns ended with exit code ${code}`)));
  });
  await abandonAfter(readyTimeoutMs, ready, () => {
    throw new Error('slirp4netns did not get ready in time');
  }).catch((error: unknown) => {
    stop();
    throw error;
  });
  return { stop };
}
