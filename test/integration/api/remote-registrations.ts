/** Entries of a remote server, and the outcome of their registrations. */
import type { McpServer } from '../../../contract/catalog.ts';
import type { McpRegistration } from '../../../contract/mcp-registration.ts';
import { untilFound } from '../../support/eventually.ts';
import { honestClient, paths } from '../../support/remote-server.ts';
import { admin, api, base, member, server, workspaceId } from './two-remote-servers.ts';

type Shown = McpServer & { registration: McpRegistration | null };

export const entry = (more: object = {}, fields: object = {}) => ({
  name: 'notes',
  shape: { type: 'remote', url: server.url, ...more },
  ...fields,
});
export const save = (body: object = entry()) =>
  admin.ok<{ mcp_server: Shown }>('POST', `${base}/mcp-servers`, body);
export const replace = (body: object) =>
  admin.ok<{ mcp_server: Shown }>('PUT', `${base}/mcp-servers/notes`, body);
export const shown = async () =>
  (await member.ok<{ mcp_server: Shown }>('GET', `${base}/mcp-servers/notes`)).mcp_server.registration;
export const settled = () =>
  untilFound('the outcome of the registration', async () => {
    const registration = await shown();
    return registration?.status === 'pending' ? null : registration;
  });
export const retry = () =>
  admin.ok<{ registration: McpRegistration }>('POST', `${base}/mcp-servers/notes/registration/retry`);
export const accept = (parties: object, person = admin) =>
  person.send('POST', `${base}/mcp-servers/notes/registration/accept`, parties);
export const events = async () => {
  const rows = await api
    .db('audit_events')
    .where({ workspace_id: workspaceId })
    .andWhere('event', 'like', 'workspace.mcp.%')
    .orderBy('position')
    .select('event', 'data');
  return rows.map(({ event, data }) => [event.replace('workspace.mcp.', ''), data]);
};
export const clients = () =>
  api.db('oauth_clients').where({ workspace_id: workspaceId }).orderBy('created_at');
export const keycloakGrants = ['authorization_code', 'refresh_token', 'implicit'];
export const answersRegistration = (more: object) =>
  server.change({
    [paths.register]: (_request, response, body) => {
      const client = { ...honestClient(server.origin, JSON.parse(body)), ...more };
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(client));
    },
  });
export const asked = (line: string, of = server) => of.requests.filter((request) => request.line === line);
