import { describe, expect, it } from '@jest/globals';
import { type Engine, EngineError } from '../../../../runtime/container/engine.ts';
import { provideImages } from '../../../../runtime/container/provide-images.ts';
import { WorkloadFailedError } from '../../../../runtime/workload.ts';

const image = { reference: 'registry.example/team/server:1', credentialsOf: null };
const options = { registryCredentials: {}, signal: new AbortController().signal };

/** An engine whose pulls fail with these errors in turn before one succeeds. */
function engineWith(errors: EngineError[]) {
  let pulls = 0;
  let isThere = false;
  const engine: Pick<Engine, 'findImage' | 'pullImage'> = {
    findImage: async () => (isThere ? { volumes: [], labels: [], annotations: [] } : null),
    pullImage: async () => {
      const error = errors[pulls];
      pulls += 1;
      if (error !== undefined) {
        throw error;
      }
      isThere = true;
    },
  };
  return { engine: engine as Engine, pulls: () => pulls };
}

describe('an image that the engine does not have', () => {
  it('is pulled again when its registry did not answer as the engine expects', async () => {
    const { engine, pulls } = engineWith([new EngineError(500, 'net/http: TLS handshake timeout')]);
    expect((await provideImages(engine, [image], options)).has(image.reference)).toBe(true);
    expect(pulls()).toBe(2);
  });

  it.each([
    ['refuses it', new EngineError(500, 'unauthorized: authentication required'), 1],
    ['does not have it', new EngineError(404, 'manifest unknown'), 1],
    ['still does not answer', new EngineError(500, 'i/o timeout'), 2],
  ])('is not retried when its registry %s', async (_what, error, times) => {
    const { engine, pulls } = engineWith([error, error]);
    await expect(provideImages(engine, [image], options)).rejects.toBeInstanceOf(WorkloadFailedError);
    expect(pulls()).toBe(times);
  });
});
