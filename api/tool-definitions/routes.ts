/** What the tools of catalog entries say of themselves: what is accepted, and what waits for an admin. */
import * as z from 'zod';
import { acceptDefinitions as accept } from '../../commands/tool-definitions/definitions.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import {
  acceptDefinitions,
  changedServer,
  pinnedToolList,
  toolDefinition,
  toolDifference,
} from '../../contract/tool-definitions.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import {
  listAcceptedDefinitions,
  listChangedServers,
  listDifferences,
  readPinnedList,
} from '../../store/tool-definitions/list.ts';
import type { EntryVersion } from '../../store/tool-definitions/record.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { notFound } from '../errors.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';

type Dependencies = Pick<ApiDependencies, 'db'>;

const entryPath = '/workspaces/{slug}/mcp-servers/{name}';
const params = z.object({ name: z.string() });
/** As the store has it. */
const maxVersion = 2 ** 31 - 1;
/** An earlier version may be what a session still runs with. */
const query = pageQuery.extend({ version: z.coerce.number().int().positive().max(maxVersion).optional() });

export function toolDefinitionRoutes(dependencies: Dependencies): AnyRoute[] {
  return [
    changedServersRoute(dependencies),
    definitionsRoute(dependencies),
    differencesRoute(dependencies),
    acceptRoute(dependencies),
  ];
}

function changedServersRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/changed-mcp-servers',
    summary: 'Entries with tools that are new or changed, and wait for an admin',
    scope: 'workspace',
    access: anyMember,
    query: pageQuery,
    response: z.strictObject({ changed_mcp_servers: z.array(changedServer), next_cursor: nextCursor }),
    async handler({ workspace, query }) {
      const page = await listChangedServers(db, workspace.id, query);
      return { changed_mcp_servers: page.items, next_cursor: page.nextCursor };
    },
  });
}

function definitionsRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${entryPath}/tool-definitions`,
    summary: 'The accepted definitions of the entry’s tools, in its current version or an earlier one',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    params,
    query,
    response: z.strictObject({
      pinned: pinnedToolList.nullable(),
      tool_definitions: z.array(toolDefinition),
      next_cursor: nextCursor,
    }),
    async handler(visit) {
      const entry = await requireVersion(db, visit);
      const page = await listAcceptedDefinitions(db, entry, visit.query);
      const pinned = await readPinnedList(db, entry);
      return { pinned, tool_definitions: page.items, next_cursor: page.nextCursor };
    },
  });
}

function differencesRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${entryPath}/tool-differences`,
    summary: 'Definitions that wait for an admin, each beside the accepted one: the server’s own claims',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    params,
    query,
    response: z.strictObject({ tool_differences: z.array(toolDifference), next_cursor: nextCursor }),
    async handler(visit) {
      const entry = await requireVersion(db, visit);
      const page = await listDifferences(db, entry, visit.query);
      return { tool_differences: page.items, next_cursor: page.nextCursor };
    },
  });
}

function acceptRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${entryPath}/tool-differences/accept`,
    summary:
      'Accept definitions that wait, by their ids; for admins. What was accepted before changes nothing',
    scope: 'workspace',
    access: admins('catalog.write'),
    params,
    body: acceptDefinitions,
    response: z.strictObject({ accepted: z.int().nonnegative() }),
    async handler({ workspace, user, params: { name }, body: { ids } }) {
      const accepted = await accept(db, { workspaceId: workspace.id, name, ids, userId: user.id });
      if (accepted === null) {
        throw notFound('The MCP server');
      }
      return { accepted };
    },
  });
}

/** Throws 404 for an unknown entry. */
async function requireVersion(
  db: Dependencies['db'],
  {
    workspace,
    params: { name },
    query: { version },
  }: Pick<InWorkspace, 'workspace'> & { params: { name: string }; query: { version?: number | undefined } },
): Promise<EntryVersion> {
  const server = await readMcpServer(db, workspace.id, name);
  if (server === null) {
    throw notFound('The MCP server');
  }
  return { workspaceId: workspace.id, entryId: server.id, version: version ?? server.version };
}
