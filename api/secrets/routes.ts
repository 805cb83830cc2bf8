import * as z from 'zod';
import { clearSecret, putSecret, restrictSecret } from '../../commands/secrets/secrets.ts';
import { secretName } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import {
  allowedServers,
  type ListedSecret,
  listedSecret,
  type SecretMetadata,
  secretMetadata,
  secretUse,
  secretValue,
} from '../../contract/secret.ts';
import { seal } from '../../store/secrets/envelope.ts';
import { listRestrictions, listSecrets, readRestriction } from '../../store/secrets/secrets.ts';
import { countSecretUsers, listSecretUses, noUsers } from '../../store/secrets/uses.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { notFound } from '../errors.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

type SecretDependencies = Pick<ApiDependencies, 'db' | 'config'>;

const path = '/workspaces/{slug}/secrets/{name}';
const params = z.object({ name: secretName });
const answer = z.strictObject({ secret: secretMetadata });

/** There is no route that returns a value, and no GET of one secret. */
export function secretRoutes(dependencies: SecretDependencies): AnyRoute[] {
  return [
    listRoute(dependencies),
    putRoute(dependencies),
    clearRoute(dependencies),
    restrictRoute(dependencies),
    usesRoute(dependencies),
  ];
}

function listRoute({ db }: SecretDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/secrets',
    summary: 'Metadata of all secrets, never a value',
    scope: 'workspace',
    access: anyMember,
    alsoUnprefixed: true,
    query: pageQuery.extend({ include_uses: z.enum(['true', 'false']).default('false') }),
    response: z.strictObject({ secrets: z.array(listedSecret), next_cursor: nextCursor }),
    async handler({ workspace, query: { include_uses: includeUses, ...query } }) {
      const page = await listSecrets(db, workspace.id, query);
      const secrets = includeUses === 'true' ? await withUses(db, workspace.id, page.items) : page.items;
      return { secrets, next_cursor: page.nextCursor };
    },
  });
}

/** Who uses each of them, and who may, with two queries for the whole page. */
async function withUses(
  db: SecretDependencies['db'],
  workspaceId: string,
  secrets: readonly SecretMetadata[],
): Promise<ListedSecret[]> {
  const names = secrets.map(({ name }) => name);
  const [users, restrictions] = await Promise.all([
    countSecretUsers(db, workspaceId, names),
    listRestrictions(db, workspaceId, names),
  ]);
  return secrets.map((secret) => ({
    ...secret,
    allowed_servers: restrictions.get(secret.name) ?? null,
    used_by: users.get(secret.name) ?? noUsers,
  }));
}

/**
 * The only place where a plaintext secret is read from the wire; it is sealed before
 * anything else happens to it.
 */
function putRoute({ db, config }: SecretDependencies): AnyRoute {
  return defineRoute({
    method: 'put',
    path,
    summary: 'Set or replace a secret',
    scope: 'workspace',
    access: admins('secrets.write'),
    secretBody: true,
    params,
    body: z.strictObject({ value: secretValue }),
    response: answer,
    async handler({ workspace, user, params, body }) {
      const key = { workspaceId: workspace.id, name: params.name };
      const sealed = seal(config.MASTER_KEYS, key, Buffer.from(body.value));
      return { secret: await putSecret(db, key, sealed, user.id) };
    },
  });
}

function clearRoute({ db }: SecretDependencies): AnyRoute {
  return defineRoute({
    method: 'delete',
    path,
    summary: 'Destroy the value; the name stays',
    scope: 'workspace',
    access: admins('secrets.write'),
    params,
    response: answer,
    async handler({ workspace, user, params }) {
      const secret = await clearSecret(db, { workspaceId: workspace.id, name: params.name }, user.id);
      return { secret: found(secret) };
    },
  });
}

function restrictRoute({ db }: SecretDependencies): AnyRoute {
  return defineRoute({
    method: 'patch',
    path,
    summary: 'Say which MCP servers may be given this secret; null means any',
    scope: 'workspace',
    access: admins('secrets.write'),
    params,
    body: z.strictObject({ allowed_servers: allowedServers }),
    response: answer,
    async handler({ workspace, user, params, body }) {
      const key = { workspaceId: workspace.id, name: params.name };
      return { secret: found(await restrictSecret(db, key, body.allowed_servers, user.id)) };
    },
  });
}

function usesRoute({ db }: SecretDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/uses`,
    summary: 'Where the secret is referenced, and which MCP servers may be given it',
    scope: 'workspace',
    access: anyMember,
    params,
    query: pageQuery,
    response: z.strictObject({
      allowed_servers: allowedServers,
      uses: z.array(secretUse),
      next_cursor: nextCursor,
    }),
    async handler({ workspace, params, query }) {
      const key = { workspaceId: workspace.id, name: params.name };
      const { allowedServers: allowed_servers } = found(await readRestriction(db, key.workspaceId, key.name));
      const page = await listSecretUses(db, key, query);
      return { allowed_servers, uses: page.items, next_cursor: page.nextCursor };
    },
  });
}

function found<Secret>(secret: Secret | null): Secret {
  if (secret === null) {
    throw notFound('The secret');
  }
  return secret;
}
