/**
 * The owner of an agent who is after what another person signs in to: a remote server that acts
 * as who drives the session.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Authorization, SessionAuthorization } from '../../contract/authorization.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { Grant } from '../../contract/grant.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import { type DemoRemoteServer, startDemoRemote, visitConsent } from '../support/demo-remote.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('An agent’s owner, and another person’s sign-in');
const scope = 'tickets.read';
const words = 'The words of the agent to Nora';

let remote: DemoRemoteServer;
let platform: Platform;
let ada: FrontDoor;
/** Owns the agent. */
let max: FrontDoor;
/** Drives it, and signs in. */
let nora: FrontDoor;
let agentId: string;
let session: Session;
let request: PermissionRequest;
let planted: Grant[];

const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
  it(what, () => table.note({ what, by: 'member', stoppedBy }, check));

beforeAll(async () => {
  remote = await startDemoRemote();
  const origins = [remote.url, remote.issuer].map((url) => new URL(url).origin);
  platform = await startPlatform({
    usesRunServers: true,
    withoutDemoSession: true,
    env: { PRIVATE_MCP_HOSTS: origins.join(',') },
  });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  max = await FrontDoor.signIn(platform.url, 'max@demo.test');
  nora = await FrontDoor.signIn(platform.url, 'nora@demo.test');
  await ada.ok('PUT', `${ada.workspace}/members/${(await nora.me()).user.id}`, { role: 'member' });
  await ada.ok('PATCH', ada.workspace, { settings: { members_grant_persistent: true } });
  await registerTickets();
  agentId = await createClerk();
  planted = [await plant('once'), await plant('persistent')];
  session = await nora.startSession(agentId);
  await signIn();
  request = await nora.openRequest(session.id);
});
afterAll(async () => {
  table.print();
  await platform?.stop();
  await remote?.close();
});

async function registerTickets(): Promise<void> {
  const shape = { type: 'remote', url: remote.url };
  const entry = { name: 'tickets', shape, manifest: { tool_scopes: { whoami: scope } } };
  await ada.ok('POST', `${ada.workspace}/mcp-servers`, entry);
  await untilFound('the registration', async () => {
    const { mcp_server: found } = await ada.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${ada.workspace}/mcp-servers/tickets`,
    );
    expect(found.registration.status).not.toBe('failed');
    return found.registration.status === 'ready' ? true : null;
  });
}

/** Calls as whoever signed in, again once a grant has been given. */
async function createClerk(): Promise<string> {
  const asked = { grant_type: 'tool_scope', details: { scope }, scope: 'once', justification: words };
  const steps = [
    { call: 'tickets.whoami', expect: 'permission_required' },
    { call: 'platform.request_grant', arguments: asked },
    { wait_for_message: { contains: 'approved', timeout_seconds: 600 } },
    { call: 'tickets.whoami' },
    { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Done' } },
  ];
  return (await max.createAgent('clerk', steps, { tickets: {} })).id;
}

const grantBody = (content: object) => ({
  ...{ agent_subject_id: agentId, grant_type: 'tool_scope', details: { scope } },
  ...content,
});
const grants = `/api/workspaces/demo/grants`;
const plant = async (width: string) =>
  (await max.ok<{ grant: Grant }>('POST', grants, grantBody({ scope: width }))).grant;
const requestPath = () => `/api/workspaces/demo/permission-requests/${request.id}`;

/** Nora at the server's own page, as herself. */
async function signIn(): Promise<void> {
  const { id } = await untilFound('the sign-in', async () => {
    const path = `/api/sessions/${session.id}/authorizations`;
    const { authorizations } = await nora.ok<{ authorizations: SessionAuthorization[] }>('GET', path);
    return authorizations[0] ?? null;
  });
  const { url } = await nora.ok<{ url: string }>('POST', `/api/authorizations/${id}/begin`);
  const callback = new URL(new URL(url).searchParams.get('redirect_uri') ?? '').pathname;
  const query = await (await visitConsent(url)).decide('allow', 'nora');
  await nora.leadsTo(`${callback}?${query}`);
  await eventually(async () => {
    const { authorization } = await nora.ok<{ authorization: Authorization }>(
      'GET',
      `/api/authorizations/${id}`,
    );
    expect(authorization.status).toBe('connected');
  });
}

const calledAs = async () => {
  const page = await (await fetch(new URL('/', remote.url))).text();
  return [...page.matchAll(/<code>whoami<\/code> as <b>([^<]*)<\/b>/g)].map(([, name]) => name);
};

noted('grants its agent beforehand what it then does as somebody else', 'the check of the call', async () => {
  for (const { id } of planted) {
    expect(await max.ok('GET', `${grants}/${id}`)).toMatchObject({
      grant: { state: 'active', use_count: 0, warnings: [{ code: 'own_sign_in' }] },
    });
  }
  expect(await calledAs()).toEqual([]);
  // Nora saw before she started that nothing lets it pass.
  expect(await nora.ok('GET', `/api/agents/${agentId}/reach`)).toMatchObject({ reach: { grants: [] } });
});

noted(
  'reads what its agent asks somebody else',
  'who may not read a session decides nothing in it',
  async () => {
    expect(await max.send('GET', `/api/sessions/${session.id}`)).toMatchObject({ status: 403 });
    const shown = await max.ok<{ permission_request: object }>('GET', requestPath());
    expect(shown.permission_request).toMatchObject({
      justification: null,
      refused_call: { server: 'tickets', tool: 'whoami', digest: null, arguments_size_bytes: null },
      may_decide: false,
      may_grant: { agent: [], operator: [] },
    });
    expect(JSON.stringify(shown)).not.toContain(words);
    expect(JSON.stringify(shown)).not.toContain(request.refused_call?.digest ?? 'none');
    expect(await max.send('GET', `${requestPath()}/call`)).toMatchObject({ status: 403 });
    // The control: the person who drives it reads all of that.
    expect(request).toMatchObject({ justification: words, refused_call: { digest: expect.any(String) } });
    expect(await nora.send('GET', `${requestPath()}/call`)).toMatchObject({ status: 200 });
  },
);

noted(
  'decides on it, with all that Nora knows',
  'who may not read a session decides nothing in it',
  async () => {
    const answers = { request_id: request.id, call_digest: request.refused_call?.digest };
    for (const content of [
      { scope: 'once', ...answers },
      { scope: 'once', ...answers, exact_call: true },
      { scope: 'once', request_id: request.id },
      { scope: 'session', session_id: session.id },
    ]) {
      expect(await max.send('POST', grants, grantBody(content))).toMatchObject({ status: 403 });
    }
    expect(await max.send('POST', `${requestPath()}/deny`, {})).toMatchObject({ status: 403 });
    planted.push(await plant('once'));
    expect(await nora.ok('GET', requestPath())).toMatchObject({ permission_request: { status: 'open' } });
    expect(await calledAs()).toEqual([]);
  },
);

it('the call is made as Nora once she approves it, on her grant', async () => {
  const own = await nora.approve(request);
  expect(await nora.ended(session.id)).toMatchObject({ status: 'completed' });
  expect(await calledAs()).toEqual(['Nora Newcomer']);
  expect(await nora.ok('GET', `${grants}/${own.id}`)).toMatchObject({ grant: { state: 'consumed' } });
  for (const { id } of planted) {
    expect(await max.ok('GET', `${grants}/${id}`)).toMatchObject({
      grant: { state: 'active', use_count: 0 },
    });
  }
});
