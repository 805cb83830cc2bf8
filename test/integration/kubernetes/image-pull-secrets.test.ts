/**
 * The platform's own images in a registry that requires a password: the operator's Secret pulls them, and
 * the worker cannot read it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type DockerRegistry, pushImage, startDockerRegistry } from '../../support/docker-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { waitingImage } from '../../support/kubernetes/node-images.ts';
import { hasOwnKubernetes } from '../../support/kubernetes/test-cluster.ts';
import { platformImages } from '../../support/platform-images.ts';
import { containerIn, secretsWith } from '../runtime/driver-under-test.ts';
import type { OpenChanges } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

const name = 'operator-registry';
const waits = { run: { type: 'command' as const, command: '/pause', args: [] } };

/** A registry for `ada` with `the-password`, and an image in it. */
async function closedRegistry(storage: string): Promise<{ registry: DockerRegistry; reference: string }> {
  const { programs } = z
    .object({ programs: z.string() })
    .parse(JSON.parse(readFileSync('.cache/kubernetes.json', 'utf8')));
  const image = waitingImage(readFileSync(join(programs, 'pause')));
  const open = await startDockerRegistry(storage);
  await pushImage(open.host, 'platform/runner', '1', image).finally(() => open.stop());
  const path = join(storage, 'htpasswd');
  // bcrypt of "the-password", with the fewest rounds.
  writeFileSync(path, 'ada:$2b$04$GW4JYP9Idmc0nJq.ORPTGecWkpjMzTR.VTDDMsPgSPPoZB0wNu0w6\n');
  const registry = await startDockerRegistry(storage, { auth: { htpasswd: { realm: 'x', path } } });
  return { registry, reference: `${registry.host}/platform/runner@${image.digest}` };
}

(hasOwnKubernetes && platformImages !== null ? describe : describe.skip)('images of the platform', () => {
  const sessions = sessionsOnCluster();
  const startWith = async (changes: Partial<OpenChanges>) => {
    const runtime = await sessions.open(changes);
    const frozen = sessions.prepare({ agent: waits });
    const id = frozen.session_id;
    try {
      await runtime.start(runtime.render(frozen), secretsWith(id));
      await eventually(async () => {
        expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'running' });
      });
      const { core } = await sessions.driver.openWorker(id);
      const reading = core.readNamespacedSecret({ name, namespace: sessions.driver.namespace });
      await expect(reading).rejects.toMatchObject({ code: 403 });
    } finally {
      await runtime.stop(id);
    }
  };

  it('are pulled with the Secret that the operator named, and not without it', async () => {
    const storage = mkdtempSync(join(tmpdir(), 'registry-storage-'));
    const { registry, reference } = await closedRegistry(storage);
    try {
      const { driver } = sessions;
      driver.cluster().trustRegistry(registry.host);
      const auths = { [`${registry.host}/platform`]: { auth: btoa('ada:the-password') } };
      await driver.admin().core.createNamespacedSecret({
        namespace: driver.namespace,
        body: {
          metadata: { name },
          type: 'kubernetes.io/dockerconfigjson',
          stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
        },
      });
      const { images } = driver.containers('http://127.0.0.1:1');
      const containers = { images: { ...images, runner: reference } };
      await expect(startWith({ containers })).rejects.toThrow(/image of container agent cannot be pulled/);
      await startWith({ containers, settings: { imagePullSecrets: [name] } });
    } finally {
      await registry.stop();
      rmSync(storage, { recursive: true });
    }
  });
});
