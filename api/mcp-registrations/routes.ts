/**
 * Registrations of remote servers: what an admin does about one, and what authorization servers read of it.
 */
import * as z from 'zod';
import { acceptParties, retryRegistration } from '../../commands/mcp-registrations/registrations.ts';
import {
  acceptParties as acceptBody,
  clientNameOf,
  type McpRegistration,
  mcpRegistration,
} from '../../contract/mcp-registration.ts';
import { uuid } from '../../contract/names.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import { buildClientMetadataDocument } from '../../lib/oauth/choose-client.ts';
import { readRegistration } from '../../store/mcp-registrations/registrations.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import { clientMetadataPath, registrationAddresses } from '../addresses.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, notFound } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { admins, anybody } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { beginRegistration, type RegistrationDependencies } from './begin-registration.ts';
import { readShownRegistrations } from './present.ts';

type Dependencies = Pick<ApiDependencies, 'db' | 'config'> & RegistrationDependencies;

const path = '/workspaces/{slug}/mcp-servers/{name}/registration';
const params = z.object({ name: z.string() });
const answer = z.strictObject({ registration: mcpRegistration });
const texts = z.array(z.string()).readonly();
const clientMetadataDocument = z.strictObject({
  client_id: z.url(),
  client_name: z.string(),
  redirect_uris: texts,
  grant_types: texts,
  response_types: texts,
  token_endpoint_auth_method: z.literal('none'),
  application_type: z.enum(['web', 'native']),
});

export function mcpRegistrationRoutes(dependencies: Dependencies): AnyRoute[] {
  const attempts = createRateLimiter({
    name: 'registrations of remote servers a minute per user',
    perMinute: dependencies.config.RATE_CHECKS_PER_MINUTE_PER_USER,
  });
  return [
    retryRoute(dependencies, attempts),
    acceptRoute(dependencies, attempts),
    clientMetadataRoute(dependencies),
  ];
}

type Limiter = ReturnType<typeof createRateLimiter>;

function retryRoute(dependencies: Dependencies, attempts: Limiter): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'post',
    path: `${path}/retry`,
    summary: 'Discover a remote server again, and register at its authorization server; for admins',
    scope: 'workspace',
    access: admins('catalog.write'),
    params,
    response: answer,
    async handler({ ctx, workspace, user, role, params: { name } }) {
      attempts.take(user.id);
      const addresses = registrationAddresses(config, ctx);
      const id = await retryRegistration(db, { workspaceId: workspace.id, name, userId: user.id, addresses });
      if (id === null) {
        throw notFound('The registration');
      }
      return begun(dependencies, { id, workspaceId: workspace.id, name, role });
    },
  });
}

function acceptRoute(dependencies: Dependencies, attempts: Limiter): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'post',
    path: `${path}/accept`,
    summary: 'Accept another issuer or resource of a remote server, exactly as it was shown; for admins',
    scope: 'workspace',
    access: admins('catalog.write'),
    params,
    body: acceptBody,
    response: answer,
    async handler({ ctx, workspace, user, role, params: { name }, body: parties }) {
      attempts.take(user.id);
      const addresses = registrationAddresses(config, ctx);
      const workspaceId = workspace.id;
      const accepted = await acceptParties(db, { workspaceId, name, parties, userId: user.id, addresses });
      switch (accepted.result) {
        case 'not_found':
          throw notFound('The registration');
        case 'changed':
          throw new ApiError('conflict', 'This is not what waits to be accepted; reload and read it again');
      }
      return begun(dependencies, { id: accepted.registrationId, workspaceId, name, role });
    },
  });
}

/** Read by authorization servers, which know the platform by this address. */
function clientMetadataRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: clientMetadataPath('{registration_id}'),
    summary: 'The Client ID Metadata Document of one remote server: public, and without any secret',
    scope: 'public',
    access: anybody,
    params: z.object({ registration_id: uuid }),
    response: clientMetadataDocument,
    async handler({ params }) {
      const registration = await readRegistration(db, params.registration_id);
      const url = registration?.client_metadata_url ?? null;
      if (registration === null || registration.mcp_server_id === null || url === null) {
        throw notFound('The document');
      }
      const { redirect_uri: redirectUri, entry_name } = registration;
      const document = buildClientMetadataDocument({
        url,
        redirectUri,
        clientName: clientNameOf(entry_name),
      });
      return { ...document, grant_types: [...document.grant_types] };
    },
  });
}

/**
 * Has the workflow begin, and returns the registration as people read it. Throws 404 when the
 * entry was removed meanwhile.
 */
async function begun(
  dependencies: Dependencies,
  { id, workspaceId, name, role }: { id: string; workspaceId: string; name: string; role: WorkspaceRole },
): Promise<{ registration: McpRegistration }> {
  const { db } = dependencies;
  await beginRegistration(dependencies, id);
  const entry = await readMcpServer(db, workspaceId, name);
  const registration = entry && (await readShownRegistrations(db, [entry.id], { role })).get(entry.id);
  if (!registration) {
    throw notFound('The registration');
  }
  return { registration };
}
