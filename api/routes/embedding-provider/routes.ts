import * as z from 'zod';
import { removeEmbeddingProvider } from '../../../commands/embedding-providers/remove.ts';
import { setEmbeddingProvider } from '../../../commands/embedding-providers/set.ts';
import {
  type EmbeddingProviderInput,
  embeddingProvider,
  embeddingProviderInput,
} from '../../../contract/embedding-provider.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { readEmbeddingProvider } from '../../../store/embedding-providers/embedding-providers.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readProviderKey } from '../../embeddings/provider-key.ts';
import { embeddingPolicy, urlProblems } from '../../embeddings/provider-url.ts';
import { invalid } from '../../errors.ts';
import { admins, anyMember } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';

type ProviderDependencies = Pick<ApiDependencies, 'db' | 'config'>;

const path = '/workspaces/{slug}/embedding-provider';
const answer = z.strictObject({ embedding_provider: embeddingProvider.nullable() });

export function embeddingProviderRoutes(dependencies: ProviderDependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
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

/** Why this provider cannot be saved. Nothing is asked of it. */
async function unusableProblems(
  { db, config }: ProviderDependencies,
  workspaceId: string,
  { base_url, api_key }: EmbeddingProviderInput,
): Promise<FieldProblem[]> {
  const key = await readProviderKey(db, config.MASTER_KEYS, { workspaceId, api_key });
  return [
    ...urlProblems(embeddingPolicy(config.PRIVATE_EMBEDDING_HOSTS), base_url),
    ...('refusal' in key ? [{ path: 'api_key', ...key.refusal }] : []),
  ];
}
