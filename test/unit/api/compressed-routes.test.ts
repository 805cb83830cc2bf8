/**
 * Which answers are sent compressed, written by hand: a new route that answers with JSON has to be put into one
 * of the two lists. Whoever chooses a part of a compressed answer learns of the rest by its length.
 */
import { expect, it } from '@jest/globals';
import { type AnyRoute, isInternal } from '../../../api/route.ts';
import { servedRoutes } from '../../support/served-routes.ts';

/** Long lists of what members and agents wrote; none of it opens anything. */
const compressed = [
  '/sessions/{session_id}/children',
  '/sessions/{session_id}/events',
  '/sessions/{session_id}/tool-calls',
  'agents',
  'audit-events',
  'grants',
  'home',
  'insights',
  'mcp-servers',
  'mcp-servers/{name}/tool-definitions',
  'mcp-servers/{name}/tool-differences',
  'members',
  'permission-requests',
  'schedules',
  'schedules/{schedule_id}/runs',
  'sessions',
];

/** What is short, and what leads somewhere: addresses of previews and channels, sign-ins, kept calls, outputs. */
const plain = [
  '/agents/{agent_id}',
  '/agents/{agent_id}/authority',
  '/agents/{agent_id}/mcp-attachments',
  '/agents/{agent_id}/reach',
  '/agents/{agent_id}/removal',
  '/auth/options',
  '/authorizations/{authorization_id}',
  '/health',
  '/me',
  '/me/connections',
  '/me/passkeys',
  '/oauth/clients/{registration_id}',
  '/sessions/{session_id}',
  '/sessions/{session_id}/artifacts',
  '/sessions/{session_id}/authorizations',
  '/sessions/{session_id}/configuration',
  '/sessions/{session_id}/model-usage',
  '/sessions/{session_id}/processes',
  '/sessions/{session_id}/processes/{kind}/{name}/output',
  '/sessions/{session_id}/tool-calls/open',
  '/sessions/{session_id}/tool-calls/refused',
  '/sessions/{session_id}/tool-calls/{call_id}/payloads',
  '/sessions/{session_id}/tool-calls/{call_id}/why',
  '/shares/{share_id}',
  '/workspaces/{slug}',
  'audit-event-counts',
  'availability',
  'changed-mcp-servers',
  'channel-messages',
  'channels',
  'channels/{name}',
  'collections',
  'embedding-provider',
  'grant-revocations',
  'grants/{grant_id}',
  'grants/{grant_id}/uses',
  'graph',
  'mcp-servers/{name}',
  'mcp-servers/{name}/checks/{check_id}',
  'mcp-servers/{name}/checks/{check_id}/output',
  'mcp-servers/{name}/server.json',
  'mcp-servers/{name}/uses',
  'model-endpoints',
  'model-usage',
  'permission-requests/count',
  'permission-requests/{request_id}',
  'permission-requests/{request_id}/call',
  'permission-requests/{request_id}/earlier',
  'previews',
  'previews/{preview_id}',
  'repositories',
  'schedules/{schedule_id}',
  'secrets',
  'secrets/{name}/uses',
  'system',
];

/** As in `docs/api.md`: what is below a workspace without its path. */
const nameOf = ({ path }: AnyRoute) => path.replace('/workspaces/{slug}/', '');
const isRead = ({ method, scope, response }: AnyRoute) =>
  method === 'get' && response !== undefined && !isInternal(scope);

it('a route that is read as JSON is in one of the two lists', () => {
  const read = servedRoutes().filter(isRead);
  const namesOf = (wanted: boolean) =>
    read.filter(({ isCompressed }) => (isCompressed === true) === wanted).map(nameOf);
  expect(namesOf(true).toSorted()).toEqual(compressed.toSorted());
  expect(namesOf(false).toSorted()).toEqual(plain.toSorted());
});

it('nothing is compressed that changes something, that a sidecar reads, or that needs no sign-in', () => {
  const others = servedRoutes().filter((route) => !isRead(route) || route.scope === 'public');
  expect(others.length).toBeGreaterThan(50);
  expect(others.filter(({ isCompressed }) => isCompressed !== undefined).map(nameOf)).toEqual([]);
});
