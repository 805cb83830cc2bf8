/** Every route of sessions, their requests and grants, and of their sidecars. */
import type { AnyRoute } from '../route.ts';
import { artifactRoutes } from './artifacts/routes.ts';
import { grantRoutes } from './grants/routes.ts';
import { internalRoutes } from './internal/routes.ts';
import { mcpCheckRoutes } from './mcp-checks/routes.ts';
import { browserStreamRoute } from './me/stream-route.ts';
import { permissionRequestRoutes } from './permission-requests/routes.ts';
import type { SessionRouteDependencies } from './session-dependencies.ts';
import { sessionEventRoutes } from './session-events/routes.ts';
import { sessionProcessRoutes } from './session-processes/routes.ts';
import { sessionRoutes as routesOfSessions } from './sessions/routes.ts';
import { shareRoutes } from './shares/routes.ts';
import { systemRoutes } from './system/routes.ts';
import { toolCallRoutes } from './tool-calls/routes.ts';

export function sessionRoutes(dependencies: SessionRouteDependencies): AnyRoute[] {
  return [
    ...routesOfSessions(dependencies),
    ...sessionEventRoutes(dependencies),
    browserStreamRoute(dependencies),
    ...artifactRoutes(dependencies),
    ...sessionProcessRoutes(dependencies),
    ...mcpCheckRoutes(dependencies),
    ...toolCallRoutes(dependencies),
    ...shareRoutes(dependencies),
    ...permissionRequestRoutes(dependencies),
    ...grantRoutes(dependencies),
    ...systemRoutes(dependencies),
    ...internalRoutes(dependencies),
  ];
}
