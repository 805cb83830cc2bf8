import { isDeepStrictEqual } from 'node:util';
import { createCheck } from '../../commands/mcp-checks/checks.ts';
import { attachmentPatterns } from '../../contract/attachment-validation.ts';
import { unavailableEntry } from '../../contract/available-runs.ts';
import type { CheckRow } from '../../store/mcp-checks/checks.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import { readCheckSummary } from '../../store/sessions/workflow-summaries.ts';
import { readAvailability } from '../availability.ts';
import { ApiError, invalid, notFound, reusedKey } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import { judgePatterns } from '../judge-patterns.ts';
import type { InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'patterns' | 'log'>;

export interface CheckStart extends Pick<InWorkspace, 'workspace' | 'user'> {
  name: string;
  env: Record<string, string>;
  idempotencyKey: string | null;
}

/**
 * Records a check and starts its workflow. A repetition with the same key returns the same check. Throws 422
 * for an env that could not be attached and for a key that another request used, 409 for what cannot run
 * here, and QuotaExceededError.
 */
export async function startCheck(
  { db, config, workflows, patterns, log }: Dependencies,
  { workspace, user, name, env, idempotencyKey }: CheckStart,
): Promise<CheckRow> {
  const entry = await readMcpServer(db, workspace.id, name);
  if (entry === null) {
    throw notFound('The MCP server');
  }
  const unavailable = unavailableEntry(entry, await readAvailability(db, config));
  if (unavailable !== null) {
    throw new ApiError('conflict', `"${name}" cannot run here: ${unavailable}`);
  }
  const stored = await createCheck(db, {
    workspaceId: workspace.id,
    serverName: name,
    env,
    startedBy: user.id,
    idempotencyKey,
    judge: await judgePatterns(
      patterns,
      { userId: user.id, workspaceId: workspace.id },
      attachmentPatterns(entry.manifest, env),
    ),
    quotas: config,
  });
  switch (stored.result) {
    case 'not_found':
      throw notFound('The MCP server');
    case 'invalid':
      throw invalid(stored.problems);
  }
  const { check } = stored;
  if (check.server_name !== name || !isDeepStrictEqual(check.env, env)) {
    throw reusedKey();
  }
  if (check.status === 'pending') {
    // The check is stored: a worker starts it later when Temporal is unavailable now.
    const started = workflows.startCheck(check.id, await readCheckSummary(db, check.id));
    await followUp(log, started, { message: 'the check starts later', check_id: check.id });
  }
  return check;
}
