/**
 * A Podman whose networks cannot be restricted is refused when the worker starts, not when a session does.
 */
import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { createContainerRuntime } from '../../../runtime/container/driver.ts';
import { hasOwnPodman, startContainerEngine } from '../../support/container-engine.ts';
import { testContainerSettings } from '../../support/container-settings.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';

(hasOwnPodman ? describe : describe.skip)('a worker on Podman', () => {
  it('refuses one that uses CNI, and names what to change', async () => {
    await expect(openOn({ cni: true })).rejects.toThrow(
      /^DOCKER_HOST: the Podman on \S+ uses CNI, .* netavark and aardvark-dns, .*network_backend = "netavark"/,
    );
  });

  it('accepts one that uses netavark', async () => {
    await expect(openOn({})).resolves.toMatchObject({ name: 'container' });
  });
});

async function openOn(options: { cni?: boolean }) {
  const engine = await startContainerEngine(options);
  try {
    return await createContainerRuntime({
      socketPath: new URL(engine.address).pathname,
      engine: {
        installation: 'test-network',
        platformNetwork: 'test-network-platform',
        internetNetwork: 'test-network-internet',
        dnsServers: ['192.0.2.53'],
        temporaryBytes: 1024 * 1024,
      },
      workload: testContainerSettings({
        apiUrl: 'http://192.0.2.1:1',
        networks: 'own',
        images: { ...requirePlatformImages(), claude: null },
      }),
      takeLeftCalls: async () => undefined,
      logger: pino({ level: 'silent' }),
    });
  } finally {
    await engine.stop();
  }
}
