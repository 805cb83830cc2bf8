/** Agents with services, for tests of previews that show one. */
import { randomUUID } from 'node:crypto';
import { deployPreview } from '../../commands/previews/deploy.ts';
import type { Run } from '../../contract/agent.ts';
import type { FrozenConfiguration, Session } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { storeConfiguration } from '../../store/session-configurations/configurations.ts';
import { configuration } from './frozen-configuration.ts';

export const serviceRun: Run = { type: 'command', command: 'serve', args: ['--all'] };

type FrozenServices = FrozenConfiguration['services'];

export const frozenService = (name: string, env: FrozenServices[number]['env'] = {}) => ({
  ...{ name, run: serviceRun, image: null },
  env,
});

/** Freezes a session as one whose agent has these services. */
export async function freezeServices(
  db: Db,
  session: { id: string; workspace_id: string; agent_id: string },
  services: FrozenServices,
): Promise<void> {
  const { id: session_id, workspace_id, agent_id } = session;
  const agent = { id: agent_id };
  await storeConfiguration(db, configuration({ session_id, workspace_id, agent, services }));
}

/** The body that saves an agent with a service `web` and whatever a test adds. */
export const agentWithServices = (more: object = {}) => ({
  name: `agent-${randomUUID()}`,
  run: { type: 'builtin' as const, name: 'scripted' as const },
  instructions: '{"steps":[]}',
  services: [{ name: 'web', run: serviceRun, env: {} }],
  ...more,
});

const many = 1_000_000;

/** Stores a preview of the service, whatever quotas say. Returns its id. */
export const deployService = (db: Db, of: Session, service: string): Promise<string> =>
  deploy(db, of, { service, files: [] });

/** The same of a file. */
export const deployFiles = (db: Db, of: Session): Promise<string> =>
  deploy(db, of, { service: null, files: [{ path: 'index.html', bytes: Buffer.from('hello') }] });

async function deploy(
  db: Db,
  of: Session,
  what: { service: string | null; files: { path: string; bytes: Buffer }[] },
): Promise<string> {
  const deployed = await deployPreview(
    db,
    {
      ...{ workspaceId: of.workspace_id, sessionId: of.id, agentId: of.agent_id, callId: randomUUID() },
      ...{ title: null, audience: 'workspace', seconds: 600 },
      ...what,
    },
    {
      LIMIT_PREVIEWS_PER_SESSION: many,
      LIMIT_PREVIEWS_PER_WORKSPACE: many,
      LIMIT_PREVIEW_BYTES_PER_WORKSPACE: many,
      LIMIT_SERVICES_PER_SESSION: many,
      LIMIT_SERVICES_PER_WORKSPACE: many,
      RATE_SERVICES_PER_HOUR_PER_SESSION: many,
      RATE_SERVICES_PER_HOUR_PER_WORKSPACE: many,
    },
  );
  if (deployed === null) {
    throw new Error('the session has ended');
  }
  return deployed.id;
}
