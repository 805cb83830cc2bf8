import * as z from 'zod';
import { removeRepository, setRepository } from '../../commands/repositories/repositories.ts';
import { hostProblem, repository, repositoryInput } from '../../contract/repository.ts';
import { listRepositories } from '../../store/repositories/repositories.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { invalid, notFound } from '../errors.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

const collection = '/workspaces/{slug}/repositories';
const path = `${collection}/{name}`;
/** Any text: a name that no repository can have is simply not found. */
const params = z.object({ name: z.string() });
const settings = repositoryInput.omit({ name: true });

export function repositoryRoutes({ db, config }: Pick<ApiDependencies, 'db' | 'config'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: collection,
      summary: 'The repositories that agents of the workspace may name',
      scope: 'workspace',
      access: anyMember,
      response: z.strictObject({ repositories: z.array(repository) }),
      handler: async ({ workspace }) => ({ repositories: await listRepositories(db, workspace.id) }),
    }),
    defineRoute({
      method: 'put',
      path,
      summary: 'Register a repository, or replace where it is; holds from the next session on',
      scope: 'workspace',
      access: admins('repositories.write'),
      params,
      body: settings,
      response: z.strictObject({ repository }),
      async handler({ workspace, user, params: { name }, body }) {
        const input = repositoryInput.safeParse({ name, ...body });
        if (!input.success) {
          throw invalid([
            { path: 'name', code: 'invalid', message: input.error.issues[0]?.message ?? 'is no name' },
          ]);
        }
        const refused = hostProblem(input.data.host, config.PRIVATE_REPOSITORY_HOSTS);
        if (refused !== null) {
          throw invalid([{ path: 'host', code: 'not_available', message: refused }]);
        }
        const saved = await setRepository(db, workspace.id, input.data, user.id);
        if (saved.result === 'refused') {
          throw invalid(saved.problems);
        }
        return { repository: saved.repository };
      },
    }),
    defineRoute({
      method: 'delete',
      path,
      summary: 'Remove a repository: sessions of agents that name it do not start any more',
      scope: 'workspace',
      access: admins('repositories.write'),
      params,
      response: z.strictObject({ ok: z.literal(true) }),
      async handler({ workspace, user, params: { name } }) {
        if (!(await removeRepository(db, workspace.id, name, user.id))) {
          throw notFound('The repository');
        }
        return { ok: true } as const;
      },
    }),
  ];
}
