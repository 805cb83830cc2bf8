/** Images whose authors try to get more than a session's container has. */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import {
  type DockerRegistry,
  hasDockerRegistry,
  pushImage,
  startDockerRegistry,
} from '../../support/docker-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { image, type TarFile, tar } from '../../support/images.ts';
import { findStaticRelay } from '../../support/static-relay.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

const canRun = hasDockerRegistry && findStaticRelay() !== null;

(canRun ? describeInContainers : describe.skip)('an image on an engine', () => {
  const driver = containerDriver();
  const storage = mkdtempSync(join(tmpdir(), 'registry-storage-'));
  const pushed: string[] = [];
  let program: Buffer;
  let registry: DockerRegistry;
  let reports: Reports;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    const file = join(storage, 'reaches-out');
    execFileSync('sh', [
      'relay/static/build.sh',
      file,
      resolve('test/integration/kubernetes/inside/reaches-out'),
    ]);
    program = readFileSync(file);
    registry = await startDockerRegistry(storage);
    await driver.begin({ insecureRegistries: [registry.host] });
    reports = await takeReports(await driver.hostAddress());
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    await sessions.stopAll();
    await reports.close();
    await Promise.all(pushed.map((reference) => driver.removeImage(reference)));
    await driver.end();
    await registry.stop();
    rmSync(storage, { recursive: true, force: true });
  });

  /** A session whose agent is this image. */
  const agentOf = async (
    config: object,
    { files = [], manifest = {} }: { files?: TarFile[]; manifest?: object },
  ) => {
    const own = [
      { path: 'server', content: program, mode: 0o755 },
      { path: 'once', content: randomUUID() },
    ];
    const made = image({
      layers: [tar([...own, ...files])],
      config: { Entrypoint: ['/server'], ...config },
      manifest,
    });
    const name = `agent-${pushed.length}`;
    await pushImage(registry.host, name, '1', made);
    pushed.push(`${registry.host}/${name}@${made.digest}`);
    return sessions.prepare({
      agent: {
        run: { type: 'image', image: `${registry.host}/${name}:1` },
        image: { digest: made.digest, command: ['/server'], volumes: [] },
      },
    });
  };

  it('cannot replace the relay with a program of its own through a volume at a link', async () => {
    const files = [
      { path: 'opt/platform/bin/relay', content: program, mode: 0o755 },
      { path: 'a/b/c/d', type: '2', linkTarget: '/opt/platform/bin' },
    ];
    const frozen = await agentOf({ Volumes: { '/a/b/c/d': {} } }, { files });
    // The empty volume hides the relay, so nothing can start.
    await expect(sessions.start(frozen)).rejects.toThrow();
    expect(await driver.running(frozen.session_id)).toEqual([]);
  });

  it('is not run with an annotation that the engine’s own programs interpret', async () => {
    const manifest = { annotations: { 'run.oci.seccomp_bpf_data': 'AAAA' } };
    const frozen = await agentOf({}, { manifest });
    const { Components = [] } = await driver.docker().version();
    if (Components.some(({ Name }) => Name === 'Podman Engine')) {
      await expect(sessions.start(frozen)).rejects.toThrow('run.oci.seccomp_bpf_data');
      expect(await driver.running(frozen.session_id)).toEqual([]);
    } else {
      const id = await sessions.start(frozen);
      const agent = await driver.docker().getContainer(driver.nameOf(id, 'agent')).inspect();
      expect(JSON.stringify(agent)).not.toContain('seccomp_bpf_data');
    }
  });

  it('passes no labels to its containers that other tools on the engine act on', async () => {
    const Labels = {
      'traefik.enable': 'true',
      'com.docker.compose.project': 'somebody-elses',
      'gatepost.internal/session': randomUUID(),
    };
    const manifest = { annotations: { 'org.opencontainers.image.title': 'an agent' } };
    const frozen = await agentOf({ Labels }, { manifest });
    const id = await sessions.start(frozen);
    const agent = await driver.docker().getContainer(driver.nameOf(id, 'agent')).inspect();
    expect(agent.Config.Labels).toMatchObject({
      'traefik.enable': '',
      'com.docker.compose.project': '',
      'gatepost.internal/session': id,
    });
    await eventually(async () => expect(await runtime.logs(id, 'agent', 1000)).toContain('/server: '));
  });
});
