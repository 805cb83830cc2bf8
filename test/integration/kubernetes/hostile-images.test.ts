/** Images whose authors try to get more than a session's container has. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FrozenImage } from '../../../contract/session.ts';
import {
  type DockerRegistry,
  hasDockerRegistry,
  pushImage,
  startDockerRegistry,
} from '../../support/docker-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { image, type TarFile, tar } from '../../support/images.ts';
import { hasOwnKubernetes } from '../../support/kubernetes/test-cluster.ts';
import { platformImages } from '../../support/platform-images.ts';
import { sessionsOnCluster } from './sessions.ts';

const canRun = hasOwnKubernetes && hasDockerRegistry && platformImages !== null;

(canRun ? describe : describe.skip)('an image on a cluster', () => {
  const sessions = sessionsOnCluster();
  const storage = mkdtempSync(join(tmpdir(), 'registry-storage-'));
  const program = join(storage, 'reaches-out');
  let registry: DockerRegistry;
  beforeAll(async () => {
    execFileSync('sh', [
      'relay/static/build.sh',
      program,
      resolve('test/integration/kubernetes/inside/reaches-out'),
    ]);
    registry = await startDockerRegistry(storage);
    sessions.driver.cluster().trustRegistry(registry.host);
  });
  afterAll(async () => {
    await registry.stop();
    rmSync(storage, { recursive: true });
  });

  /** `known`: what was read of the image when the session was frozen. */
  const startAgent = async (
    name: string,
    config: object,
    { files = [], known = {} }: { files?: TarFile[]; known?: Partial<FrozenImage> } = {},
  ) => {
    const own = { path: 'server', content: readFileSync(program), mode: 0o755 };
    const made = image({ layers: [tar([own, ...files])], config: { Entrypoint: ['/server'], ...config } });
    await pushImage(registry.host, name, '1', made);
    const reference = `${registry.host}/${name}:1`;
    return sessions.start(
      sessions.prepare({
        agent: {
          run: { type: 'image', image: reference },
          image: { digest: made.digest, command: ['/server'], volumes: [], ...known },
        },
      }),
    );
  };

  it('cannot replace the relay with a program of its own through a volume at a link', async () => {
    const evil = { path: 'opt/platform/bin/relay', content: readFileSync(program), mode: 0o755 };
    const link = { path: 'a/b/c/d', type: '2', linkTarget: '/opt/platform/bin' };
    const id = await startAgent('linked', { Volumes: { '/a/b/c/d': {} } }, { files: [evil, link] });
    await eventually(async () => {
      expect(await sessions.runtime().logs(id, 'agent', 1000)).toBe(
        '/server: Address family not supported by protocol\n',
      );
    });
  });

  it('is not run when it hides the relay behind a volume at a link to a folder above it', async () => {
    const evil = { path: 'a/b/c/platform/bin/relay', content: readFileSync(program), mode: 0o755 };
    const link = { path: 'opt', type: '2', linkTarget: '/a/b/c' };
    const files = [evil, link];
    await expect(startAgent('hidden', { Volumes: { '/a/b/c': {} } }, { files })).rejects.toThrow(
      /Container agent could not be started/,
    );
  });

  it('has no room on the node beyond its limits where it declares a volume', async () => {
    const known = { command: ['/server', '/data'], volumes: ['/data'] };
    const id = await startAgent('roomy', { Volumes: { '/data': {} } }, { known });
    await eventually(async () => {
      expect(await sessions.runtime().logs(id, 'agent', 1000)).toMatch(
        /^\/data is .*kubernetes\.io~empty-dir\/agent-volume-0$/m,
      );
    });
  });
});
