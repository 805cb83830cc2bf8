import * as z from 'zod';
import { createWorkspace, updateWorkspace } from '../../commands/workspaces/workspaces.ts';
import { workspaceSlug } from '../../contract/names.ts';
import { shownName } from '../../contract/shown-name.ts';
import { workspace, workspaceSettings } from '../../contract/workspace.ts';
import { requireFreshSignIn } from '../auth/fresh-sign-in.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid } from '../errors.ts';
import { admins, anyMember, anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

const answer = z.strictObject({ workspace });

export function workspaceRoutes({ db, config }: Pick<ApiDependencies, 'db' | 'config'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'post',
      path: '/workspaces',
      summary: 'Create a workspace, with the caller as its first admin',
      scope: 'user',
      access: anySignedIn,
      body: z.strictObject({ slug: workspaceSlug, name: shownName }),
      status: 201,
      response: answer,
      async handler({ user, body }) {
        // Whoever it gives a role to would be led into the creator's workspace.
        if (config.OIDC_GROUP_RULES.some(({ workspace }) => workspace === body.slug)) {
          const message =
            "a rule of the operator's for groups names it; the workspace is made first, and then its rule";
          throw invalid([{ path: 'slug', code: 'named_by_rule', message }]);
        }
        const created = await createWorkspace(db, body, user, {
          perHour: config.RATE_WORKSPACES_PER_HOUR_PER_USER,
        });
        if (created === null) {
          throw new ApiError('conflict', `The slug "${body.slug}" is taken`);
        }
        return { workspace: created };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}',
      summary: 'A workspace with its settings',
      scope: 'workspace',
      access: anyMember,
      response: answer,
      handler: async ({ workspace }) => ({ workspace }),
    }),
    defineRoute({
      method: 'patch',
      path: '/workspaces/{slug}',
      summary: 'Change name and settings',
      scope: 'workspace',
      access: admins('settings.write'),
      body: z.strictObject({
        name: shownName.optional(),
        settings: workspaceSettings.partial().optional(),
      }),
      response: answer,
      async handler({ workspace, user, signInId, body }) {
        requireRetention(body.settings?.tool_call_retention_days, config.TOOL_CALL_RETENTION_FLOOR_DAYS);
        if (body.settings?.require_passkey === false && workspace.settings.require_passkey) {
          await requireFreshSignIn(db, { signInId });
        }
        return { workspace: await updateWorkspace(db, workspace.id, body, { type: 'user', id: user.id }) };
      },
    }),
  ];
}

/** Throws 422 for a retention below the operator's minimum. */
function requireRetention(days: number | null | undefined, floorDays: number): void {
  if (days !== undefined && days !== null && days < floorDays) {
    const message = `must be at least ${floorDays} days, the minimum that the operator of the platform set, or null to keep records without a time limit`;
    throw invalid([{ path: 'settings.tool_call_retention_days', code: 'too_small', message }]);
  }
}
