import * as z from 'zod';
import { attach, detach } from '../../commands/attachments/attachments.ts';
import { attachment, attachmentInput } from '../../contract/agent.ts';
import { attachmentPatterns } from '../../contract/attachment-validation.ts';
import { emptyManifest } from '../../contract/catalog.ts';
import { listAttachments } from '../../store/attachments/attachments.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import { rightsAfterEdit } from '../agents/routes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { invalid, notFound } from '../errors.ts';
import { judgePatterns } from '../judge-patterns.ts';
import { agentEditors, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

type AttachmentDependencies = Pick<ApiDependencies, 'db' | 'config' | 'patterns'>;

const path = '/agents/{agent_id}/mcp-attachments';

export function attachmentRoutes({ db, config, patterns }: AttachmentDependencies): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path,
      summary: 'The MCP servers that are attached to an agent',
      scope: 'agent',
      access: anyMember,
      response: z.strictObject({ attachments: z.array(attachment) }),
      handler: async ({ agent }) => ({ attachments: await listAttachments(db, agent.id) }),
    }),
    defineRoute({
      method: 'put',
      path,
      summary: 'Attach a catalog entry, or change the env of an attachment; holds from the next session on',
      scope: 'agent',
      access: agentEditors,
      alsoUnprefixed: true,
      body: attachmentInput,
      response: z.strictObject({ attachment }),
      async handler({ agent, workspace, role, user, body }) {
        const { manifest = emptyManifest } = (await readMcpServer(db, workspace.id, body.name)) ?? {};
        const tasks = attachmentPatterns(manifest, body.env);
        const saved = await attach(db, {
          ...body,
          workspaceId: workspace.id,
          agent,
          userId: user.id,
          judge: await judgePatterns(patterns, { userId: user.id, workspaceId: workspace.id }, tasks),
          maxPerAgent: config.LIMIT_ATTACHMENTS_PER_AGENT,
          rights: rightsAfterEdit({ user, role, workspace }, agent),
        });
        if (saved.result === 'invalid') {
          throw invalid(saved.problems);
        }
        return { attachment: saved.attachment };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{name}`,
      summary: 'Detach an MCP server; holds from the next session on',
      scope: 'agent',
      access: agentEditors,
      params: z.object({ name: z.string() }),
      response: z.strictObject({ ok: z.literal(true) }),
      async handler({ agent, workspace, role, user, params }) {
        const detached = await detach(db, {
          workspaceId: workspace.id,
          agent,
          name: params.name,
          userId: user.id,
          rights: rightsAfterEdit({ user, role, workspace }, agent),
        });
        if (!detached) {
          throw notFound('The attachment');
        }
        return { ok: true } as const;
      },
    }),
  ];
}
