/**
 * Who may use a route, written by hand: a rule that lets more people pass is found here, where `docs/api.md`
 * and the table of `test/integration/api/every-route.test.ts` follow the route's own rule.
 */
import { expect, it } from '@jest/globals';
import { peopleByScope, whoMay } from '../../../api/openapi/who-may.ts';
import type { AnyRoute } from '../../../api/route.ts';
import { servedRoutes } from '../../support/served-routes.ts';

const ofAdmins = [
  'DELETE /agents/{agent_id}',
  'GET /agents/{agent_id}/removal',
  'GET /sessions/{session_id}/processes/{kind}/{name}/output',
  'GET /sessions/{session_id}/tool-calls/{call_id}/payloads',
  'PATCH /workspaces/{slug}',
  'GET audit-events',
  'GET audit-event-counts',
  'GET channel-messages',
  'POST channels',
  'GET channels/{name}',
  'PUT channels/{name}',
  'DELETE channels/{name}',
  'POST channels/{name}/test',
  'POST close',
  'PUT embedding-provider',
  'DELETE embedding-provider',
  'POST embedding-provider/check',
  'POST example',
  'POST mcp-servers',
  'PUT mcp-servers/{name}',
  'DELETE mcp-servers/{name}',
  'POST mcp-servers/{name}/checks',
  'GET mcp-servers/{name}/checks/{check_id}',
  'POST mcp-servers/{name}/checks/{check_id}/cancel',
  'GET mcp-servers/{name}/checks/{check_id}/output',
  'POST mcp-servers/{name}/image-check',
  'POST mcp-servers/{name}/registration/accept',
  'POST mcp-servers/{name}/registration/retry',
  'POST mcp-servers/{name}/tool-differences/accept',
  'POST mcp-servers/dry-run',
  'POST members',
  'PUT members/{user_id}',
  'DELETE members/{user_id}',
  'POST reopen',
  'PUT repositories/{name}',
  'DELETE repositories/{name}',
  'PUT secrets/{name}',
  'DELETE secrets/{name}',
  'PATCH secrets/{name}',
  'GET system',
];

/** What is not read alone. What each of them may do there is decided by what it is about. */
const ofMembers = [
  'POST agents',
  'POST grants',
  'POST grant-challenges',
  'DELETE grants/{grant_id}',
  'POST grant-revocations',
  'POST mcp-servers/{name}/connect',
  'POST permission-requests/{request_id}/deny',
  'DELETE previews/{preview_id}',
  'POST schedules',
  'PATCH schedules/{schedule_id}',
  'DELETE schedules/{schedule_id}',
  'POST schedules/{schedule_id}/pause',
  'POST schedules/{schedule_id}/resume',
  'POST schedules/{schedule_id}/run',
  'POST sessions',
];

const ofReaders = [
  'GET /sessions/{session_id}',
  'GET /sessions/{session_id}/artifacts',
  'GET /sessions/{session_id}/artifacts/{artifact_id}',
  'GET /sessions/{session_id}/authorizations',
  'GET /sessions/{session_id}/children',
  'GET /sessions/{session_id}/configuration',
  'GET /sessions/{session_id}/events',
  'GET /sessions/{session_id}/model-usage',
  'GET /sessions/{session_id}/processes',
  'GET /sessions/{session_id}/tool-calls',
  'GET /sessions/{session_id}/tool-calls/open',
  'GET /sessions/{session_id}/tool-calls/{call_id}/why',
  'GET /sessions/{session_id}/tool-calls/refused',
];

const ofOwners = [
  'PATCH /agents/{agent_id}',
  'POST /agents/{agent_id}/archive',
  'PUT /agents/{agent_id}/mcp-attachments',
  'DELETE /agents/{agent_id}/mcp-attachments/{name}',
  'POST /agents/{agent_id}/unarchive',
];

/** Without signing in. */
const ofAnybody = [
  'GET /auth/callback',
  'POST /auth/demo-sign-in',
  'GET /auth/options',
  'GET /auth/sign-in',
  'GET /health',
  'GET /oauth/callback/{registration_id}',
  'GET /oauth/clients/{registration_id}',
];

const expected: Readonly<Record<string, readonly string[]>> = {
  admin: ofAdmins,
  "admin, agent's owner": ofOwners,
  'all members': ofMembers,
  anybody: ofAnybody,
  'admin, operator, operator at the root, maker of its schedule, member it is shared with': ofReaders,
  'admin, operator, operator at the root': [
    'PATCH /sessions/{session_id}',
    'POST /sessions/{session_id}/patch',
  ],
  'admin, operator, operator at the root, maker of its schedule': ['POST /sessions/{session_id}/terminate'],
  operator: ['POST /sessions/{session_id}/messages'],
};

const ofWorkspaces = ['workspace', 'agent', 'session'];

/** As in `docs/api.md`: what is below a workspace without its path. */
const signature = ({ method, path }: AnyRoute) =>
  `${method.toUpperCase()} ${path.replace('/workspaces/{slug}/', '')}`;

function whoText(route: AnyRoute): string {
  const may = whoMay(route);
  const isForAll = may.length === Object.keys(peopleByScope[route.scope]).length;
  return isForAll && ofWorkspaces.includes(route.scope) ? 'all members' : may.join(', ');
}

it('a route is for those alone that it is meant for', () => {
  const routes = servedRoutes().filter(({ scope }) => scope === 'public' || ofWorkspaces.includes(scope));
  const found = new Map<string, string[]>();
  for (const route of routes) {
    const who = whoText(route);
    if (who !== 'all members' || route.method !== 'get') {
      found.set(who, [...(found.get(who) ?? []), signature(route)]);
    }
  }
  const sorted = (groups: Iterable<[string, readonly string[]]>) =>
    Object.fromEntries([...groups].map(([who, list]) => [who, list.toSorted()]));
  expect(sorted(found)).toEqual(sorted(Object.entries(expected)));
});
