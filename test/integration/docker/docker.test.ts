/**
 * The container runtime on a real Docker Engine: tests of the engine that built the images, in one file,
 * because one Docker Engine serves them all. Those where engines differ most; `npm run test:docker` runs the
 * others, too, which take minutes.
 */
import './on-docker.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { cachedImage } from '../../../scripts/setup/machine-cache.mjs';
import { buildingEngine, runEngine } from '../../support/container-engine.ts';
import { buildOnDocker, hasDockerd, startDockerEngine } from '../../support/docker-engine.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';

let engine: { stop(): Promise<void> } | null = null;
beforeAll(async () => {
  engine = hasDockerd ? await startDockerEngine(buildingEngine()) : null;
}, 600_000);
afterAll(() => engine?.stop());

const settings = z.looseObject({
  User: z.string(),
  Cmd: z.array(z.string()),
  Env: z.array(z.string()),
  Labels: z.record(z.string(), z.string()),
});
/** What an image runs, as whom, and with what; without what an engine adds of itself. */
async function configurationOf(image: string) {
  const text = await runEngine(['image', 'inspect', '--format', '{{json .Config}}', image]);
  const { User: user, Cmd: command, Env: env, Labels: labels } = settings.parse(JSON.parse(text));
  const own = Object.entries(labels).filter(([name]) => name.startsWith('org.opencontainers.image.'));
  return { user, command, env: env.toSorted(), labels: Object.fromEntries(own) };
}

(hasDockerd ? describe : describe.skip)('what these tests run on', () => {
  it('is a Docker Engine', async () => {
    const components = await runEngine([
      'version',
      '--format',
      '{{range .Server.Components}}{{.Name}} {{end}}',
    ]);
    expect(components).toContain('Engine');
    expect(components).not.toContain('Podman');
  });

  it('builds an image itself, without BuildKit, like the engine that built the others', async () => {
    const built = cachedImage('sidecar-of-docker:test');
    await buildOnDocker({ file: 'deploy/Dockerfile', target: 'sidecar', tag: built });
    const [own, others] = await Promise.all([built, requirePlatformImages().sidecar].map(configurationOf));
    expect(own).toEqual(others);
    const script = "require('fs').readFileSync('/opt/platform/sidecar.js').length";
    const length = await runEngine(['run', '--rm', '--network', 'none', built, 'node', '-p', script]);
    expect(Number(length)).toBeGreaterThan(100_000);
  }, 1_200_000);
});

// Without an engine the test above is skipped, and the end of the run says why.
if (hasDockerd) {
  await import('../container/isolation.test.ts');
  await import('../../end-to-end/compose.test.ts');
}
if (hasDockerd && process.env['DOCKER_TESTS'] === 'all') {
  await import('../container/runtime.test.ts');
  await import('../container/faults.test.ts');
  await import('../container/hostile-images.test.ts');
  await import('../container/images.test.ts');
}
