/**
 * The container runtime on a real Docker Engine: the same tests as on the engine that built the images, in one file,
 * because one Docker Engine serves them all.
 */
import './on-docker.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildingEngine, runEngine } from '../../support/container-engine.ts';
import { hasDockerd, startDockerEngine } from '../../support/docker-engine.ts';

let engine: { stop(): Promise<void> } | null = null;
beforeAll(async () => {
  engine = hasDockerd ? await startDockerEngine(buildingEngine()) : null;
}, 600_000);
afterAll(() => engine?.stop());

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
});

// Elsewhere there is no engine for them; the test above is left out, and the end of the run says why.
if (hasDockerd) {
  await import('../runtime/container-runtime.test.ts');
  await import('../container/isolation.test.ts');
  await import('../container/faults.test.ts');
  await import('../container/hostile-images.test.ts');
  await import('../container/images.test.ts');
  await import('../../end-to-end/compose.test.ts');
}
