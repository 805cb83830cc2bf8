/**
 * Makes vectors of texts for a workspace: by its provider as it is set at that moment,
 * or by the platform itself.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MasterKeys } from '../../config/keys.ts';
import { type Embedder, unitVector } from '../../contract/vectors.ts';
import type { KeyedMutex } from '../../lib/limits/mutex.ts';
import type { Db } from '../../store/database.ts';
import { readEmbeddingProvider } from '../../store/embedding-providers/embedding-providers.ts';
import { askProvider, type EmbeddingServers } from './ask-provider.ts';
import { askAdmin, EmbeddingError } from './errors.ts';
import { embedInSteps } from './local-hashed-ngrams.ts';
import { readProviderKey } from './provider-key.ts';
import { embeddingsUrl } from './provider-url.ts';

export interface EmbeddingDependencies {
  db: Db;
  masterKeys: MasterKeys;
  servers: EmbeddingServers;
  runExclusive: KeyedMutex;
}

export interface EmbeddedTexts {
  embedder: Embedder;
  /** Of length 1, in the order of the texts. */
  vectors: Float32Array[];
}

/** A sidecar waits 25 s for an answer. */
const localTimeoutMs = 15_000;

const local: Embedder = { name: 'local-hashed-ngrams', model: null };

/**
 * Embeds texts for a collection that was made by `embedder`, or with null for a new one. Throws
 * EmbeddingError, whose message says what to do; for a collection of another model than the provider's, too.
 */
export async function embedTexts(
  { db, masterKeys, servers, runExclusive }: EmbeddingDependencies,
  { workspaceId, embedder }: { workspaceId: string; embedder: Embedder | null },
  texts: readonly string[],
): Promise<EmbeddedTexts> {
  const provider = embedder?.name === local.name ? null : await readEmbeddingProvider(db, workspaceId);
  if (provider === null && embedder?.name === 'provider') {
    const message = `The collection was made by the model ${embedder.model}, and the workspace has no embedding provider any more; ${askAdmin}`;
    throw new EmbeddingError('no_provider', message);
  }
  if (provider === null) {
    return { embedder: local, vectors: await embedAllLocally({ runExclusive, workspaceId }, texts) };
  }
  if (embedder !== null && embedder.model !== provider.model) {
    const message = `The collection was made by the model ${embedder.model}, and the workspace's embedding provider now has ${provider.model}: vectors of two models cannot be compared; use another collection`;
    throw new EmbeddingError('other_model', message);
  }
  const key = await readProviderKey(db, masterKeys, { workspaceId, api_key: provider.api_key });
  if ('refusal' in key) {
    const message = `The embedding provider of the workspace ${key.refusal.message}; ${askAdmin}`;
    throw new EmbeddingError(key.refusal.code, message);
  }
  const url = embeddingsUrl(provider.base_url);
  if (url === null) {
    throw new EmbeddingError('url_refused', `The embedding provider has no usable address; ${askAdmin}`);
  }
  const vectors = await askProvider(servers, { workspaceId, provider, url, key: key.value, texts });
  return { embedder: { name: 'provider', model: provider.model }, vectors };
}

/** One text at a time in this process, of workspaces in turn, and never for long without a pause. */
async function embedAllLocally(
  { runExclusive, workspaceId }: Pick<EmbeddingDependencies, 'runExclusive'> & { workspaceId: string },
  texts: readonly string[],
): Promise<Float32Array[]> {
  const runFairly: KeyedMutex = (key, work) =>
    runExclusive(`${key} of ${workspaceId}`, () => runExclusive(key, work));
  const deadlineMs = performance.now() + localTimeoutMs;
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    const unit = unitVector(await runFairly('local embedding', () => embedWithPauses(text, deadlineMs)));
    if ('problem' in unit) {
      throw new EmbeddingError('no_direction', 'One of the texts has no vector: give it other words');
    }
    vectors.push(unit.vector);
  }
  return vectors;
}

async function embedWithPauses(text: string, deadlineMs: number): Promise<Float32Array> {
  const steps = embedInSteps(text);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      return step.value;
    }
    if (performance.now() > deadlineMs) {
      const message = 'Embedding the texts took too long: give fewer of them, or shorter ones, in one call';
      throw new EmbeddingError('timed_out', message);
    }
    await nextTurn();
  }
}
