import * as z from 'zod';
import {
  removeEmbeddingProvider,
  setEmbeddingProvider,
} from '../../commands/embedding-providers/embedding-providers.ts';
import {
  type EmbeddingProviderCheck,
  type EmbeddingProviderInput,
  embeddingProvider,
  embeddingProviderCheck,
  embeddingProviderInput,
} from '../../contract/embedding-provider.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { readEmbeddingProvider } from '../../store/embedding-providers/embedding-providers.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { invalid, notFound } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { type EmbeddingDependencies, embedTexts } from './embed-texts.ts';
import { EmbeddingError } from './errors.ts';
import { readProviderKey } from './provider-key.ts';
import { embeddingPolicy, urlProblems } from './provider-url.ts';

type ProviderDependencies = Pick<ApiDependencies, 'db' | 'config' | 'embeddingServers'>;

const path = '/workspaces/{slug}/embedding-provider';
const answer = z.strictObject({ embedding_provider: embeddingProvider.nullable() });

export function embeddingProviderRoutes(dependencies: ProviderDependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
    checkRoute(dependencies),
    defineRoute({
      method: 'get',
      path,
      summary: 'What embeds the texts of the workspace’s collections; null: the platform itself',
      scope: 'workspace',
      access: anyMember,
      response: answer,
      handler: async ({ workspace }) => ({
        embedding_provider: await readEmbeddingProvider(db, workspace.id),
      }),
    }),
    defineRoute({
      method: 'put',
      path,
      summary: 'Set the provider that texts of new collections are sent to',
      scope: 'workspace',
      access: admins('settings.write'),
      body: embeddingProviderInput,
      response: answer,
      async handler({ workspace, user, body }) {
        const problems = await unusableProblems(dependencies, workspace.id, body);
        if (problems.length > 0) {
          throw invalid(problems);
        }
        return { embedding_provider: await setEmbeddingProvider(db, workspace.id, body, user.id) };
      },
    }),
    defineRoute({
      method: 'delete',
      path,
      summary: 'Remove the provider: its collections stay, and take no texts without it',
      scope: 'workspace',
      access: admins('settings.write'),
      response: answer,
      async handler({ workspace, user }) {
        await removeEmbeddingProvider(db, workspace.id, user.id);
        return { embedding_provider: null };
      },
    }),
  ];
}

/** The word means nothing, and costs next to nothing. */
const checkedText = 'check';

function checkRoute({ db, config, embeddingServers }: ProviderDependencies): AnyRoute {
  const runExclusive = createKeyedMutex();
  const checks = createRateLimiter({
    name: 'checks of an embedding provider a minute per user',
    perMinute: config.RATE_CHECKS_PER_MINUTE_PER_USER,
  });
  const embedding = { db, masterKeys: config.MASTER_KEYS, servers: embeddingServers, runExclusive };
  return defineRoute({
    method: 'post',
    path: `${path}/check`,
    summary: 'Ask the saved provider for the vector of one word, as an agent’s call would',
    scope: 'workspace',
    access: admins('settings.write'),
    response: z.strictObject({ check: embeddingProviderCheck }),
    async handler({ workspace: { id: workspaceId }, user }) {
      checks.take(user.id);
      if ((await readEmbeddingProvider(db, workspaceId)) === null) {
        throw notFound('The embedding provider');
      }
      // One at a time for a workspace.
      return { check: await runExclusive(workspaceId, () => checkProvider(embedding, workspaceId)) };
    },
  });
}

async function checkProvider(
  embedding: EmbeddingDependencies,
  workspaceId: string,
): Promise<EmbeddingProviderCheck> {
  try {
    const { vectors } = await embedTexts(embedding, { workspaceId, embedder: null }, [checkedText]);
    return { outcome: 'works', dimensions: vectors[0]?.length ?? 0 };
  } catch (error) {
    if (error instanceof EmbeddingError) {
      return { outcome: 'failed', reason: error.message };
    }
    throw error;
  }
}

/** Why this provider cannot be saved. Nothing is asked of it. */
async function unusableProblems(
  { db, config }: Pick<ProviderDependencies, 'db' | 'config'>,
  workspaceId: string,
  { base_url, api_key }: EmbeddingProviderInput,
): Promise<FieldProblem[]> {
  const key = await readProviderKey(db, config.MASTER_KEYS, { workspaceId, api_key });
  return [
    ...urlProblems(embeddingPolicy(config.PRIVATE_EMBEDDING_HOSTS), base_url),
    ...('refusal' in key ? [{ path: 'api_key', ...key.refusal }] : []),
  ];
}
