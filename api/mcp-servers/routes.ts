import type { Context } from 'koa';
import * as z from 'zod';
import {
  registerMcpServer,
  removeMcpServer,
  replaceMcpServer,
  type SavedEntry,
} from '../../commands/mcp-servers/mcp-servers.ts';
import { type Availability, unavailableEntryProblems } from '../../contract/available-runs.ts';
import {
  emptyManifest,
  entrySettingsOf,
  type McpServer,
  type McpServerInput,
  mcpServerInput,
} from '../../contract/catalog.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { compareImage, imageChange } from '../../contract/image-change.ts';
import { manifestPatterns, manifestProblems } from '../../contract/manifest-validation.ts';
import { named, secretName, toolScope } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { documentProblem, serverDocument, serverDocumentOf } from '../../contract/server-document.ts';
import type { PatternOwner } from '../../lib/patterns/pattern-checker.ts';
import { type Db, inRolledBackTransaction } from '../../store/database.ts';
import {
  listAttachingAgents,
  listGatingScopes,
  listMcpServers,
  listSecretsOfEntry,
  readMcpServer,
} from '../../store/mcp-servers/mcp-servers.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { registrationAddresses } from '../addresses.ts';
import { requireFreshSignIn } from '../auth/fresh-sign-in.ts';
import { readAvailability, whereChanged } from '../availability.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid, nameTaken, notFound } from '../errors.ts';
import { judgePatterns } from '../judge-patterns.ts';
import { beginRegistration, type RegistrationDependencies } from '../mcp-registrations/begin-registration.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import { healthRoute } from './health-route.ts';
import { presentMcpServer, presentMcpServers, shownMcpServer, type Visited } from './present.ts';
import { createReadEntryImage, type ReadEntryImage } from './read-entry-image.ts';
import { unusableRemoteProblems } from './unusable-problems.ts';

type CatalogRouteDependencies = Pick<ApiDependencies, 'db' | 'config' | 'patterns'> &
  RegistrationDependencies;
type CatalogDependencies = CatalogRouteDependencies & {
  readImage: ReadEntryImage;
  readAvailable: () => Promise<Availability>;
  /** Entries of a workspace. */
  quota: { limit: number };
};

const collection = '/workspaces/{slug}/mcp-servers';
const path = `${collection}/{name}`;
/** Any text: a name that no entry can have is simply not found. */
const params = z.object({ name: z.string() });
const answer = z.strictObject({ mcp_server: shownMcpServer });

export function mcpServerRoutes(platform: CatalogRouteDependencies): AnyRoute[] {
  const { db, config, patterns } = platform;
  const dependencies = {
    ...platform,
    readImage: createReadEntryImage({ db, config, patterns }),
    readAvailable: () => readAvailability(db, config),
    quota: { limit: config.LIMIT_MCP_SERVERS_PER_WORKSPACE },
  };
  return [
    listRoute(dependencies),
    healthRoute(db),
    registerRoute(dependencies),
    dryRunRoute(dependencies),
    readRoute(dependencies),
    replaceRoute(dependencies),
    removeRoute(dependencies),
    usesRoute(dependencies),
    documentRoute({ db, publicUrl: config.PUBLIC_URL }),
    imageCheckRoute(dependencies),
  ];
}

function listRoute({ db, readAvailable }: CatalogDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'The workspace MCP catalog',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    query: pageQuery,
    response: z.strictObject({ mcp_servers: z.array(shownMcpServer), next_cursor: nextCursor }),
    async handler({ workspace, role, query }) {
      const page = await listMcpServers(db, workspace.id, query);
      const here = await readAvailable();
      return {
        mcp_servers: await presentMcpServers(db, page.items, { here, role }),
        next_cursor: page.nextCursor,
      };
    },
  });
}

function registerRoute(dependencies: CatalogDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: collection,
    summary: 'Register an MCP server',
    scope: 'workspace',
    access: admins('catalog.write'),
    body: mcpServerInput,
    status: 201,
    response: answer,
    async handler(visit) {
      const { save, here } = await readEntry(dependencies, visit);
      const saved = await storeEntry(dependencies.db, visit.workspace.id, save);
      return { mcp_server: await afterSave(dependencies, saved, { here, role: visit.role }) };
    },
  });
}

/** Says what registering would: it is done, and undone. */
function dryRunRoute(dependencies: CatalogDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${collection}/dry-run`,
    summary: 'What registering this MCP server would say; nothing is stored, and no registration begins',
    scope: 'workspace',
    access: admins('catalog.write'),
    body: mcpServerInput,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler(visit) {
      const { save } = await readEntry(dependencies, visit);
      await inRolledBackTransaction(dependencies.db, (trx) => storeEntry(trx, visit.workspace.id, save));
      return { ok: true } as const;
    },
  });
}

/** Throws what refuses the entry before the database is asked to store it. */
async function readEntry(
  dependencies: CatalogDependencies,
  { ctx, workspace, user, body }: InWorkspace & { ctx: Context; body: McpServerInput },
) {
  const { config, readImage, readAvailable, quota } = dependencies;
  const by = { workspaceId: workspace.id, userId: user.id };
  const here = await readAvailable();
  await refuseUnsound(dependencies, by, body, unavailableEntryProblems(body, here));
  const image = await readImage(by, body);
  const save = { input: body, image, userId: user.id, quota, addresses: registrationAddresses(config, ctx) };
  return { save, here };
}

/** Throws 409 where the name is taken or the workspace is full. */
async function storeEntry(
  db: Db,
  workspaceId: string,
  save: Parameters<typeof registerMcpServer>[2],
): Promise<SavedEntry> {
  const saved = await registerMcpServer(db, workspaceId, save);
  if (saved === null) {
    const of = { workspaceId, name: save.input.name };
    throw nameTaken('a catalog entry', await findSimilarName(db, 'mcp_servers', of));
  }
  return saved;
}

function readRoute({ db, readAvailable }: CatalogDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'One catalog entry',
    scope: 'workspace',
    access: anyMember,
    params,
    response: answer,
    async handler({ workspace, role, params }) {
      const server = await requireServer(db, workspace.id, params.name);
      return { mcp_server: await presentMcpServer(db, server, { here: await readAvailable(), role }) };
    },
  });
}

function documentRoute({
  db,
  publicUrl,
}: Pick<CatalogDependencies, 'db'> & { publicUrl: string | undefined }): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/server.json`,
    summary: 'The entry as a document of the MCP registry',
    scope: 'workspace',
    access: anyMember,
    params,
    response: serverDocument,
    async handler({ workspace, params }) {
      const server = await requireServer(db, workspace.id, params.name);
      const problem = documentProblem(server.shape);
      if (problem !== null) {
        throw new ApiError('conflict', problem);
      }
      return serverDocumentOf(server, { slug: workspace.slug, publicUrl });
    },
  });
}

function usesRoute({ db }: CatalogDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/uses`,
    summary:
      'Agents that attach the entry, secrets that are restricted to it, and scopes that it gates tools with',
    scope: 'workspace',
    access: anyMember,
    params,
    query: pageQuery,
    response: z.strictObject({
      agents: z.array(named),
      secrets: z.array(secretName),
      /** Today, and in sessions that still run with an earlier version. */
      scopes: z.array(toolScope),
      next_cursor: nextCursor,
    }),
    async handler({ workspace, params, query }) {
      const { id, name } = await requireServer(db, workspace.id, params.name);
      const page = await listAttachingAgents(db, id, query);
      const secrets = await listSecretsOfEntry(db, workspace.id, name);
      const scopes = await listGatingScopes(db, workspace.id, id);
      return { agents: page.items, secrets, scopes, next_cursor: page.nextCursor };
    },
  });
}

function replaceRoute(dependencies: CatalogDependencies): AnyRoute {
  const { db, config, readImage, readAvailable } = dependencies;
  return defineRoute({
    method: 'put',
    path,
    summary:
      'Replace a catalog entry; its version counts up, running sessions keep the old one. ' +
      'With `expected_version` nothing is replaced that its sender has not seen',
    scope: 'workspace',
    access: admins('catalog.write'),
    params,
    query: z.strictObject({ expected_version: z.coerce.number().int().positive().optional() }),
    body: mcpServerInput,
    response: answer,
    async handler({ ctx, workspace, user, role, signInId, params, query, body }) {
      if (body.name !== params.name) {
        throw invalid([{ path: 'name', code: 'immutable', message: 'must equal the name in the path' }]);
      }
      const here = await readAvailable();
      const before = await requireServer(db, workspace.id, body.name);
      const unavailable = whereChanged(unavailableEntryProblems(body, here), before, body);
      await refuseUnsound(dependencies, { workspaceId: workspace.id, userId: user.id }, body, unavailable);
      const image = await readImage({ workspaceId: workspace.id, userId: user.id }, body);
      const addresses = registrationAddresses(config, ctx);
      const requireMayLoosen = () => requireFreshSignIn(db, { signInId });
      const requireSeen = (version: number) => requireVersion(version, query.expected_version);
      const save = { input: body, image, userId: user.id, addresses, requireMayLoosen, requireSeen };
      const saved = await replaceMcpServer(db, workspace.id, save);
      if (saved === null) {
        throw notFound('The MCP server');
      }
      return { mcp_server: await afterSave(dependencies, saved, { here, role }) };
    },
  });
}

/** Throws 409 where somebody else has replaced the version that the sender expects. */
function requireVersion(version: number, expected: number | undefined): void {
  if (expected !== undefined && version !== expected) {
    throw new ApiError(
      'conflict',
      `The entry has changed: it is at version ${version}, and this replaces version ${expected}. Read it again`,
    );
  }
}

/** Reads and compares only: the newer image is adopted by replacing the entry with itself. */
function imageCheckRoute({ db, readImage }: CatalogDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/image-check`,
    summary: 'Read the image of an entry again and say what replacing the entry would change',
    scope: 'workspace',
    access: admins('catalog.write'),
    params,
    response: z.strictObject({ image_change: imageChange }),
    async handler({ workspace, user, params }) {
      const server = await requireServer(db, workspace.id, params.name);
      const now = await readImage({ workspaceId: workspace.id, userId: user.id }, inputOf(server));
      if (now === null) {
        throw invalid([{ path: 'shape.type', code: 'not_an_image', message: 'the entry runs no image' }]);
      }
      return { image_change: compareImage(server, now) };
    },
  });
}

/** What an admin would send to replace the entry with itself. */
function inputOf(server: McpServer): McpServerInput {
  const { name, shape, require_passkey } = server;
  const pasted = server.manifest_source === 'pasted' ? { manifest: server.manifest } : {};
  return { name, shape, require_passkey, ...entrySettingsOf(server), ...pasted };
}

function removeRoute(dependencies: CatalogDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'delete',
    path,
    summary: 'Remove a catalog entry that no agent attaches',
    scope: 'workspace',
    access: admins('catalog.write'),
    params,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ workspace, user, signInId, params }) {
      const removal = await removeMcpServer(db, workspace.id, params.name, user.id, {
        requireMayLoosen: () => requireFreshSignIn(db, { signInId }),
      });
      if (removal.result === 'not_found') {
        throw notFound('The MCP server');
      }
      if (removal.result === 'in_use') {
        throw new ApiError('in_use', `Agents attach "${params.name}"; detach it first`, {
          uses: removal.uses,
        });
      }
      if (removal.registrationId !== null) {
        await beginRegistration(dependencies, removal.registrationId);
      }
      return { ok: true } as const;
    },
  });
}

/** Has a remote server registered, and returns the entry as people read it. */
async function afterSave(
  dependencies: CatalogDependencies,
  { server, registrationId }: SavedEntry,
  visited: Visited,
) {
  if (registrationId !== null) {
    await beginRegistration(dependencies, registrationId);
  }
  return presentMcpServer(dependencies.db, server, visited);
}

async function requireServer(
  db: CatalogDependencies['db'],
  workspaceId: string,
  name: string,
): Promise<McpServer> {
  const server = await readMcpServer(db, workspaceId, name);
  if (server === null) {
    throw notFound('The MCP server');
  }
  return server;
}

/** Throws `validation_failed` for what the body's schema cannot check, including what cannot run here. */
async function refuseUnsound(
  dependencies: CatalogDependencies,
  owner: PatternOwner,
  input: McpServerInput,
  unavailable: readonly FieldProblem[],
): Promise<void> {
  const { manifest = emptyManifest } = input;
  const judge = await judgePatterns(dependencies.patterns, owner, manifestPatterns(manifest));
  const problems = [
    ...unavailable,
    ...(await unusableRemoteProblems(dependencies, owner.workspaceId, input)),
    ...manifestProblems(manifest, judge),
  ];
  if (problems.length > 0) {
    throw invalid(problems);
  }
}
