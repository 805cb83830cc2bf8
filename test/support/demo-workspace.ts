/**
 * A workspace of a test file’s own on the platform that all files share: what the demo’s holds but for its
 * planner, with people of its own.
 */
import { randomBytes } from 'node:crypto';
import {
  demoAgent,
  demoAttachments,
  demoPeople,
  demoSecret,
  demoSecretServer,
  demoServers,
} from '../../bin/start/demo-content.ts';
import type { Agent } from '../../contract/agent.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { upsertUser } from '../../store/users/users.ts';
import { FrontDoor } from './front-door.ts';
import { withPlatformDatabase } from './platform-database.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';

export type DemoPerson = keyof typeof demoPeople;
/** Names are those of the demo; e-mail addresses are the workspace's own. */
export type DemoPeople = Record<DemoPerson, { email: string; name: string }>;

export interface DemoWorkspace {
  url: string;
  slug: string;
  people: DemoPeople;
  /** The API, about this workspace. */
  signIn(person: DemoPerson): Promise<FrontDoor>;
  /** What the demo's session asks for; it is Max's, and waits. */
  startDemoSession(): Promise<PermissionRequest>;
  /** Terminates its sessions, which would otherwise run until the platform stops. */
  close(): Promise<void>;
}

/** Call in `beforeAll`; `close` in `afterAll`. */
export async function openDemoWorkspace(on?: SharedPlatform): Promise<DemoWorkspace> {
  const platform = on ?? (await sharedPlatform());
  const slug = `demo-${randomBytes(6).toString('hex')}`;
  const people = peopleOf(slug);
  await withPlatformDatabase(platform, async (db) => {
    for (const { email, name } of Object.values(people)) {
      await upsertUser(db, { issuer: 'demo', subject: email, email, name });
    }
  });
  const signIn = (person: DemoPerson) => FrontDoor.signIn(platform.url, people[person].email, slug);
  const [ada, max] = [await signIn('ada'), await signIn('max')];
  await ada.ok('POST', '/api/workspaces', { slug, name: 'Demo' });
  await ada.ok('PUT', `${ada.workspace}/members/${(await max.me()).user.id}`, { role: 'member' });
  const scribe = await fill(ada);
  return {
    url: platform.url,
    slug,
    people,
    signIn,
    startDemoSession: async () => max.openRequest((await max.startSession(scribe.id)).id),
    close: () => terminateSessions(ada),
  };
}

function peopleOf(slug: string): DemoPeople {
  const person = (name: DemoPerson) => ({ email: `${name}.${slug}@demo.test`, name: demoPeople[name].name });
  return { ada: person('ada'), max: person('max'), nora: person('nora') };
}

async function fill(ada: FrontDoor): Promise<Agent> {
  await ada.ok('PUT', `${ada.workspace}/secrets/${demoSecret}`, { value: 'token of the demo' });
  await ada.ok('PATCH', `${ada.workspace}/secrets/${demoSecret}`, { allowed_servers: [demoSecretServer] });
  for (const server of demoServers) {
    await ada.ok('POST', `${ada.workspace}/mcp-servers`, server);
  }
  const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, demoAgent);
  for (const attachment of demoAttachments) {
    await ada.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, attachment);
  }
  return agent;
}

async function terminateSessions(ada: FrontDoor): Promise<void> {
  const path = `${ada.workspace}/sessions?limit=200`;
  const { sessions } = await ada.ok<{ sessions: Session[] }>('GET', path);
  for (const { id } of sessions.filter(({ status }) => !isTerminal(status))) {
    await ada.send('POST', `/api/sessions/${id}/terminate`, {});
  }
}
