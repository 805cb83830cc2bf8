/** Checks of catalog entries: an admin tries one before an agent attaches it. */
import * as z from 'zod';
import { readCheckOutput } from '../../commands/mcp-checks/checks.ts';
import {
  hasMcpCheckEnded,
  type McpCheck,
  mcpCheck,
  mcpCheckInput,
  type ToolListing,
  toolListing,
} from '../../contract/mcp-check.ts';
import { uuid } from '../../contract/names.ts';
import { processOutput } from '../../contract/session-process.ts';
import { type CheckRow, readCheck, requestCheckCancel } from '../../store/mcp-checks/checks.ts';
import { readCheckText, readOutputSize } from '../../store/mcp-checks/texts.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import { notFound } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { admins } from '../policies/access.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { startCheck } from './start-check.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'patterns' | 'log'>;

const collection = '/workspaces/{slug}/mcp-servers/{name}/checks';
const path = `${collection}/{check_id}`;
const params = z.object({ name: z.string(), check_id: uuid });
const answer = z.strictObject({ mcp_check: mcpCheck });

export function mcpCheckRoutes(dependencies: Dependencies): AnyRoute[] {
  return [
    startRoute(dependencies),
    readRoute(dependencies),
    outputRoute(dependencies),
    cancelRoute(dependencies),
  ];
}

function startRoute(dependencies: Dependencies): AnyRoute {
  const started = createRateLimiter({
    name: 'checks a minute per user',
    perMinute: dependencies.config.RATE_CHECKS_PER_MINUTE_PER_USER,
  });
  return defineRoute({
    method: 'post',
    path: collection,
    summary:
      'Check an entry: run it once with the given env, list its tools, and leave nothing behind; for admins',
    scope: 'workspace',
    access: admins('catalog.check'),
    params: z.object({ name: z.string() }),
    body: mcpCheckInput,
    status: 201,
    response: answer,
    idempotent: true,
    async handler({ workspace, user, params: { name }, body, idempotencyKey }) {
      started.take(user.id);
      const check = await startCheck(dependencies, { workspace, user, name, ...body, idempotencyKey });
      return { mcp_check: await presentCheck(dependencies, check) };
    },
  });
}

function readRoute(dependencies: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'The state of a check, and the tools that its server lists: the server’s own claim',
    scope: 'workspace',
    access: admins('catalog.check'),
    params,
    response: answer,
    async handler(visit): Promise<{ mcp_check: McpCheck }> {
      return { mcp_check: await presentCheck(dependencies, await requireCheck(dependencies, visit)) };
    },
  });
}

function outputRoute(dependencies: Dependencies): AnyRoute {
  const { db, config } = dependencies;
  return defineRoute({
    method: 'get',
    path: `${path}/output`,
    summary: 'The end of what the server of a check wrote to stderr, its own claim; each reading is audited',
    scope: 'workspace',
    access: admins('catalog.check'),
    params,
    response: z.strictObject({ output: processOutput }),
    async handler(visit) {
      const check = await requireCheck(dependencies, visit);
      const output = await readCheckOutput(db, config.MASTER_KEYS, { check, userId: visit.user.id }).catch(
        whenSealed,
      );
      if (output === null) {
        throw notFound('The output');
      }
      return { output };
    },
  });
}

function cancelRoute(dependencies: Dependencies): AnyRoute {
  const { db, workflows, log } = dependencies;
  return defineRoute({
    method: 'post',
    path: `${path}/cancel`,
    summary: 'End a check; one that has ended stays as it is',
    scope: 'workspace',
    access: admins('catalog.check'),
    params,
    response: answer,
    async handler(visit) {
      const check = await requireCheck(dependencies, visit);
      if (check.ended_at === null) {
        await requestCheckCancel(db, check.id);
        await followUp(log, workflows.cancelCheck(check.id), {
          message: 'the check notices later that it is cancelled',
          check_id: check.id,
        });
      }
      return { mcp_check: await presentCheck(dependencies, (await readCheck(db, check.id)) ?? check) };
    },
  });
}

/** Throws 404 for a check of another entry or workspace. */
async function requireCheck(
  { db }: Dependencies,
  {
    workspace,
    params: { name, check_id },
  }: Pick<InWorkspace, 'workspace'> & { params: { name: string; check_id: string } },
): Promise<CheckRow> {
  const check = await readCheck(db, check_id);
  if (check?.workspace_id !== workspace.id || check.server_name !== name) {
    throw notFound('The check');
  }
  return check;
}

/** Its key has been retired: the output cannot be read. */
function whenSealed(error: unknown): null {
  if (error instanceof UnreadableSecretError) {
    return null;
  }
  throw error;
}

type PresentDependencies = Pick<SessionRouteDependencies, 'db' | 'config'>;

/** The list of tools is shown once the check has ended and secret values have been redacted from it. */
async function presentCheck({ db, config }: PresentDependencies, check: CheckRow): Promise<McpCheck> {
  const { mcp_server_id, server_name: name, entry_version: version, process } = check;
  const { id, status, reason, started_by, created_at, started_at, ended_at } = check;
  const outputSizeBytes = await readOutputSize(db, id);
  return {
    ...{ id, status, reason, started_by, created_at, started_at, ended_at },
    mcp_server: { id: mcp_server_id, name, version },
    process: process && { ...process, output_size_bytes: outputSizeBytes },
    listing: hasMcpCheckEnded(status) ? await readListing({ db, config }, check) : null,
  };
}

async function readListing(
  { db, config }: PresentDependencies,
  { id: checkId, workspace_id: workspaceId }: CheckRow,
): Promise<ToolListing | null> {
  const key = { workspaceId, checkId, kind: 'listing' } as const;
  const text = await readCheckText(db, config.MASTER_KEYS, key).catch((error: unknown) => {
    if (error instanceof UnreadableSecretError) {
      return null;
    }
    throw error;
  });
  return text && toolListing.parse(JSON.parse(text.bytes.toString('utf8')));
}
