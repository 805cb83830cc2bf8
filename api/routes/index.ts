/** Every route of the API. */
import type { ApiDependencies } from '../dependencies.ts';
import type { AnyRoute } from '../route.ts';
import { agentRoutes } from './agents/routes.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import { auditEventRoutes } from './audit-events/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { mcpServerRoutes } from './mcp-servers/routes.ts';
import { meRoutes } from './me/routes.ts';
import { type MemberDependencies, memberRoutes } from './members/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

/** People, workspaces and everything that is configured in them. */
export function configurationRoutes(
  dependencies: Pick<ApiDependencies, 'db' | 'config' | 'patterns'> & MemberDependencies,
): AnyRoute[] {
  return [
    ...healthRoutes(dependencies),
    ...authRoutes(dependencies),
    ...meRoutes(dependencies),
    ...workspaceRoutes(dependencies),
    ...memberRoutes(dependencies),
    ...secretRoutes(dependencies),
    ...mcpServerRoutes(dependencies),
    ...agentRoutes(dependencies),
    ...attachmentRoutes(dependencies),
    ...auditEventRoutes(dependencies),
  ];
}
