/** The first step of every session: its configuration is frozen. */
import { freezeSession } from '../../commands/sessions/freeze.ts';
import type { Agent } from '../../contract/agent.ts';
import type { FrozenConfiguration, Session, SessionStatus } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { longestReadySeconds } from '../../contract/sibling.ts';
import type { SessionLimits } from '../../contract/workflows.ts';
import { readAgent } from '../../store/agents/read.ts';
import { readAttachedServers } from '../../store/attachments/read-for-launch.ts';
import { inSnapshot } from '../../store/database.ts';
import { readKnownSecrets } from '../../store/secrets/read.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { readSession } from '../../store/sessions/read-session.ts';
import { readLogsToolPayloads } from '../../store/workspaces/read-setting.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused, operatorLeft } from '../failures.ts';
import { shownOf } from '../workflow-owner.ts';
import { buildConfiguration, secretNamesOf } from './build-configuration.ts';
import { readImages } from './read-images.ts';

export interface Frozen {
  workspaceId: string;
  /** Anything but `pending` means that an earlier run of this session was lost after it had begun to start something. */
  status: SessionStatus;
  limits: SessionLimits;
  subject: string | null;
  searchAttributesKnown: boolean;
}

/**
 * Stores a snapshot of what the session will run with; the first one stored stays, so a second attempt
 * changes nothing. Returns the few facts that the workflow needs: ids, numbers and names. Throws `launch_refused` when the
 * operator is no longer a member.
 */
export async function freezeConfiguration(
  dependencies: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<Frozen> {
  const { db } = dependencies;
  const { session, ...sources } = await inSnapshot(db, async (trx) => {
    const session = await readSession(trx, sessionId);
    const agent = session === null ? null : await readAgent(trx, session.agent_id);
    if (session === null || agent === null) {
      throw launchRefused('The session was removed before it started');
    }
    const servers = await readAttachedServers(trx, agent.id);
    const secrets = await readKnownSecrets(trx, session.workspace_id, secretNamesOf(agent, servers));
    const secretVersions = new Map([...secrets].map(([name, { version }]) => [name, version]));
    const logToolPayloads = await readLogsToolPayloads(trx, session.workspace_id);
    return { session, agent, servers, secretVersions, logToolPayloads };
  });
  const images = await readImages(
    imagesToRead(dependencies.runtime.name, sources.agent),
    dependencies.readImage,
  );
  const frozenAt = new Date().toISOString();
  const configuration = buildConfiguration({ session, ...sources, images, frozenAt });
  const stored = await freezeSession(db, session, configuration);
  if (stored === null) {
    throw operatorLeft();
  }
  if (stored.log_tool_payloads) {
    await announcePayloads(db, sessionId);
  }
  return {
    ...factsOf(session),
    limits: limitsOf(stored, dependencies.limits),
    ...(await shownOf(dependencies, 'session', sessionId)),
  };
}

/** Of the agent and its companions; a catalog entry's was read when it was stored. The process runtime refuses images with its own message. */
function imagesToRead(runtimeName: string, { run, siblings, services }: Agent): string[] {
  const runs = [run, ...[...siblings, ...services].map((companion) => companion.run)];
  const references = runs.flatMap((each) => (each.type === 'image' ? [each.image] : []));
  return runtimeName === 'process' ? [] : [...new Set(references)];
}

/** Makes it visible in the session's events that more than usual is recorded. */
async function announcePayloads(db: ActivityDependencies['db'], sessionId: string): Promise<void> {
  await appendSessionEvent(db, sessionId, {
    id: derivedId(sessionId, 'tool_payloads_logged'),
    type: 'platform.notice',
    actor: systemActor,
    payload: {
      code: 'tool_payloads_logged',
      message: 'This workspace keeps the arguments and results of tool calls in its audit trail.',
    },
  });
}

/** Of a session that is being validated nothing was started: its first task may be taken again after that step. */
const factsOf = ({ workspace_id: workspaceId, status }: Session) => ({
  workspaceId,
  status: status === 'validating' ? ('pending' as const) : status,
});

/** A session starts when its siblings are ready, for which each has a limit of its own. */
function limitsOf(
  { agent: { limits }, siblings }: FrozenConfiguration,
  defaults: ActivityDependencies['limits'],
): SessionLimits {
  return {
    startMs: (defaults.SESSION_START_SECONDS + longestReadySeconds(siblings)) * 1000,
    totalMs: (limits.total_seconds ?? defaults.SESSION_TOTAL_SECONDS) * 1000,
    idleMs: (limits.idle_seconds ?? defaults.SESSION_IDLE_SECONDS) * 1000,
  };
}
