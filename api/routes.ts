/** Every route of the API. */

import { modelEndpointsRoute } from './agents/model-endpoints.ts';
import { agentRoutes } from './agents/routes.ts';
import { artifactRoutes } from './artifacts/routes.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import { auditEventRoutes } from './audit-events/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { authorizationRoutes } from './authorizations/routes.ts';
import type { FinishDependencies } from './authorizations/sign-in.ts';
import { channelRoutes } from './channels/routes.ts';
import { collectionRoutes } from './collections/routes.ts';
import type { ApiDependencies } from './dependencies.ts';
import { embeddingProviderRoutes } from './embedding-provider/routes.ts';
import { exampleRoutes } from './example/routes.ts';
import { grantRoutes } from './grants/routes.ts';
import { graphRoutes } from './graph/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { homeRoutes } from './home/routes.ts';
import { internalRoutes } from './internal/routes.ts';
import { mcpCheckRoutes } from './mcp-checks/routes.ts';
import { mcpRegistrationRoutes } from './mcp-registrations/routes.ts';
import { mcpServerRoutes } from './mcp-servers/routes.ts';
import { meRoutes } from './me/routes.ts';
import { browserStreamRoute } from './me/stream-route.ts';
import { type MemberDependencies, memberRoutes } from './members/routes.ts';
import { modelUsageRoutes } from './model-usage/routes.ts';
import { permissionRequestRoutes } from './permission-requests/routes.ts';
import { previewRoutes } from './previews/routes.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import type { AnyRoute } from './route.ts';
import { scheduleRoutes } from './schedules/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import type { SessionRouteDependencies } from './session-dependencies.ts';
import { sessionEventRoutes } from './session-events/routes.ts';
import { sessionProcessRoutes } from './session-processes/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { shareRoutes } from './shares/routes.ts';
import { systemRoutes } from './system/routes.ts';
import { toolCallRoutes } from './tool-calls/routes.ts';
import { toolDefinitionRoutes } from './tool-definitions/routes.ts';
import { closingRoutes } from './workspaces/closing-routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

/** Users, workspaces and everything that is configured in them. */
export function configurationRoutes(
  dependencies: Pick<ApiDependencies, 'db' | 'config' | 'patterns' | 'embeddingServers' | 'log'> &
    MemberDependencies &
    FinishDependencies,
): AnyRoute[] {
  return [
    ...healthRoutes(dependencies),
    ...authRoutes(dependencies),
    ...meRoutes(dependencies),
    ...workspaceRoutes(dependencies),
    ...memberRoutes(dependencies),
    ...secretRoutes(dependencies),
    ...embeddingProviderRoutes(dependencies),
    ...repositoryRoutes(dependencies),
    ...mcpServerRoutes(dependencies),
    ...mcpRegistrationRoutes(dependencies),
    ...toolDefinitionRoutes(dependencies),
    ...authorizationRoutes(dependencies),
    ...agentRoutes(dependencies),
    ...attachmentRoutes(dependencies),
    ...auditEventRoutes(dependencies),
  ];
}

/** Sessions, their requests and grants, and their sidecars. */
export function operationRoutes(dependencies: SessionRouteDependencies): AnyRoute[] {
  return [
    ...homeRoutes(dependencies),
    ...exampleRoutes(dependencies),
    ...sessionRoutes(dependencies),
    ...sessionEventRoutes(dependencies),
    browserStreamRoute(dependencies),
    ...artifactRoutes(dependencies),
    ...sessionProcessRoutes(dependencies),
    modelEndpointsRoute(dependencies),
    ...modelUsageRoutes(dependencies),
    ...mcpCheckRoutes(dependencies),
    ...toolCallRoutes(dependencies),
    ...shareRoutes(dependencies),
    ...permissionRequestRoutes(dependencies),
    ...grantRoutes(dependencies),
    ...graphRoutes(dependencies),
    ...channelRoutes(dependencies),
    ...previewRoutes(dependencies),
    ...scheduleRoutes(dependencies),
    ...closingRoutes(dependencies),
    ...collectionRoutes(dependencies),
    ...systemRoutes(dependencies),
    ...internalRoutes(dependencies),
  ];
}

export const allRoutes = (dependencies: SessionRouteDependencies): AnyRoute[] => [
  ...configurationRoutes(dependencies),
  ...operationRoutes(dependencies),
];
