import { afterEach, describe, expect, it } from '@jest/globals';
import { readClientSecret, readCurrentClient } from '../../../store/oauth-clients/clients.ts';
import { caller } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  honestClient,
  honestIssuer,
  honestResource,
  openReplies,
  paths,
} from '../../support/remote-server.ts';
import {
  accept,
  asked,
  clients,
  entry,
  events,
  replace,
  retry,
  save,
  settled,
  shown,
} from './remote-registrations.ts';
import {
  admin,
  api,
  base,
  member,
  other,
  server,
  useTwoRemoteServers,
  workspaceId,
} from './two-remote-servers.ts';

useTwoRemoteServers({ sweepEveryMs: 500 }, { RATE_CHECKS_PER_MINUTE_PER_USER: '100' });
afterEach(() => expect(api.logged()).not.toContain('the-client-secret'));

describe('a remote server that people sign in to', () => {
  it('is registered at its authorization server, and says where people sign in', async () => {
    const { mcp_server: saved } = await save();
    expect(saved.registration).toMatchObject({ status: 'pending', reason: null, sign_in: null });
    const registration = await settled();
    expect(registration).toMatchObject({
      status: 'ready',
      sign_in: 'oauth',
      parties: { issuer: server.origin, resource: server.url, authorization_host: server.host },
      found: null,
      scopes: ['notes.write'],
      client: { kind: 'registered', client_id: 'the-client' },
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/oauth\/callback\/[0-9a-f-]{36}$/),
    });
    const [sent] = asked(paths.register);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      application_type: 'native',
      redirect_uris: [registration.redirect_uri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Gatepost (notes)',
      token_endpoint_auth_method: 'client_secret_basic',
    });
    expect(await events()).toEqual([
      ['registered', {}],
      ['registration_completed', { sign_in: 'oauth', issuer: server.origin, resource: server.url }],
    ]);
  });

  it('has its client’s credentials sealed, and shown to nobody', async () => {
    await save();
    const registration = await settled();
    const row = await api.db('mcp_registrations').where({ workspace_id: workspaceId }).first();
    const client = await readCurrentClient(api.db, row?.id ?? '');
    if (client === null) {
      throw new Error('there is no client');
    }
    expect(await readClientSecret(api.db, api.config.MASTER_KEYS, client)).toBe('the-client-secret');
    const stored = JSON.stringify([row, await clients(), await api.db('oauth_credentials'), registration]);
    expect(stored).not.toMatch(/the-client-secret|the-registration-token/);
    const history = await api.temporal.workflow.getHandle(`mcp-registration/${row?.id}`).fetchHistory();
    expect(Buffer.from(JSON.stringify(history))).not.toContain('the-client-secret');
  });

  it('keeps its client over a retry, and gets another when the client no longer fits', async () => {
    await save();
    await settled();
    await retry();
    await settled();
    expect(asked(paths.register)).toHaveLength(1);
    server.change({
      [paths.issuer]: {
        json: { ...honestIssuer(server.origin), token_endpoint_auth_methods_supported: ['none'] },
      },
      [paths.register]: (_request, response, body) => {
        const client = { ...JSON.parse(body), client_id: 'the-second-client' };
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(client));
      },
    });
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', client: { client_id: 'the-second-client' } });
    await eventually(() => expect(asked(paths.deletion)).toHaveLength(1));
    await eventually(async () =>
      expect((await clients()).map(({ client_id }) => client_id)).toEqual(['the-second-client']),
    );
    expect(await events()).toContainEqual([
      'client_deleted',
      { issuer: server.origin, client_id: 'the-client', at_server: true },
    ]);
  });

  it('has a client deleted that was made while the entry was changed', async () => {
    const answer = new Promise<() => void>((resolve) => {
      server.change({
        [paths.register]: (_request, response, body) => {
          server.reset();
          resolve(() =>
            response
              .writeHead(201, { 'content-type': 'application/json' })
              .end(JSON.stringify(honestClient(server.origin, JSON.parse(body)))),
          );
        },
      });
    });
    await save();
    const release = await answer;
    await replace({ name: 'notes', shape: { type: 'remote', url: other.url } });
    release();
    expect(await settled()).toMatchObject({ status: 'ready', parties: { issuer: other.origin } });
    await eventually(() => expect(asked(paths.deletion)).toHaveLength(1));
    expect(asked(paths.deletion, other)).toEqual([]);
    await eventually(async () => expect(await clients()).toHaveLength(1));
  });

  it('has its client deleted with the entry', async () => {
    await save();
    await settled();
    await admin.ok('DELETE', `${base}/mcp-servers/notes`);
    await eventually(async () =>
      expect(await api.db('mcp_registrations').where({ workspace_id: workspaceId })).toEqual([]),
    );
    const [deletion] = asked(paths.deletion);
    expect(deletion?.headers.authorization).toBe('Bearer the-registration-token');
    expect(await api.db('oauth_credentials').where({ workspace_id: workspaceId })).toEqual([]);
  });

  it('loses its registration when it becomes a command, and starts again as a remote server', async () => {
    await save();
    await settled();
    await replace({ name: 'notes', shape: { type: 'command', command: 'server' } });
    expect(await shown()).toBeNull();
    await replace(entry());
    await settled();
    await eventually(async () => expect(await clients()).toHaveLength(1));
    expect(asked(paths.register)).toHaveLength(2);
  });
});

describe('another issuer or resource', () => {
  const moved = () => ({
    [paths.resource]: { json: { ...honestResource(server.origin), authorization_servers: [other.origin] } },
  });

  it('fails the entry until an admin accepts exactly what is shown', async () => {
    await save();
    await settled();
    server.change(moved());
    await retry();
    const failed = await settled();
    const before = { issuer: server.origin, resource: server.url, authorization_host: server.host };
    const found = { issuer: other.origin, resource: server.url, authorization_host: other.host };
    expect(failed).toMatchObject({ status: 'failed', parties: before, found });
    expect(failed.reason).toContain('another issuer');
    expect(asked(paths.register, other)).toEqual([]);

    const accepted = { issuer: other.origin, resource: server.url };
    expect(await accept(accepted, member)).toMatchObject({ status: 403 });
    expect(await accept({ ...accepted, issuer: `${other.origin}/` })).toMatchObject({ status: 409 });
    expect(await accept({ issuer: server.origin, resource: server.url })).toMatchObject({ status: 409 });
    expect(await accept(accepted)).toMatchObject({
      status: 200,
      body: { registration: { status: 'pending' } },
    });
    expect(await settled()).toMatchObject({ status: 'ready', parties: found, found: null });
    await eventually(async () =>
      expect((await clients()).map(({ issuer }) => issuer)).toEqual([other.origin]),
    );
    expect(await accept(accepted)).toMatchObject({ status: 409 });
    expect(await events()).toContainEqual([
      'issuer_accepted',
      { accepted, before: { issuer: server.origin, resource: server.url } },
    ]);
  });

  it('is not accepted by a retry, nor by saving the entry with another client', async () => {
    await save();
    await settled();
    server.change(moved());
    await retry();
    await settled();
    await retry();
    expect(await settled()).toMatchObject({ status: 'failed', found: { issuer: other.origin } });
    await replace(entry({ client: { client_id: 'by-hand' } }));
    expect(await settled()).toMatchObject({ status: 'failed', found: { issuer: other.origin } });
    expect(other.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('of another URL is what the admin chose, with a client of its own', async () => {
    await save();
    await settled();
    await replace({ ...entry(), shape: { type: 'remote', url: other.url } });
    expect(await settled()).toMatchObject({ status: 'ready', parties: { issuer: other.origin } });
    await eventually(() => expect(asked(paths.deletion)).toHaveLength(1));
    expect(asked(paths.register, other)).toHaveLength(1);
  });
});

describe('a registration', () => {
  it('that fails says why, and is retried by an admin', async () => {
    const without = { ...honestIssuer(server.origin), code_challenge_methods_supported: undefined };
    server.change({ [paths.issuer]: { json: without } });
    await save();
    const failed = await settled();
    expect(failed).toMatchObject({ status: 'failed', sign_in: null, parties: null, client: null });
    expect(failed.reason).toMatch(/without PKCE a stolen code could be redeemed/);
    expect(await member.send('POST', `${base}/mcp-servers/notes/registration/retry`)).toMatchObject({
      status: 403,
    });
    server.reset();
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', reason: null });
    expect((await events()).map(([event]) => event)).toEqual([
      'registered',
      'registration_failed',
      'registration_retried',
      'registration_completed',
    ]);
  });

  // Until the tries of the workflow are over.
  it('that is retried while the authorization server is down stays in use, and says so', async () => {
    await save();
    await settled();
    server.change({ [paths.issuer]: { status: 503, json: {} } });
    await retry();
    const kept = await settled();
    expect(kept).toMatchObject({
      status: 'ready',
      sign_in: 'oauth',
      parties: { issuer: server.origin },
      client: { client_id: 'the-client' },
    });
    expect(kept.reason).toMatch(/answered 503.*The entry goes on to be used as before/);
    expect((await events()).at(-1)).toEqual([
      'registration_failed',
      { reason: kept.reason, stays_in_use: true },
    ]);
    server.reset();
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', reason: null });
  });

  it('stays in use by a retry alone, and not where its URL is another', async () => {
    const resumes = async () =>
      (await api.db('mcp_registrations').where({ workspace_id: workspaceId }).first('resumes'))?.resumes;
    await save();
    await settled();
    expect(await resumes()).toBe(false);
    await retry();
    expect(await resumes()).toBe(true);
    await settled();
    await replace({ ...entry(), shape: { type: 'remote', url: other.url } });
    expect(await resumes()).toBe(false);
    await settled();
  });

  it('uses what an admin registered by hand, whose secret is the workspace’s', async () => {
    await admin.ok('PUT', `${base}/secrets/NOTES_CLIENT`, { value: 'sesame' });
    const client = { client_id: 'by-hand', client_secret: '${NOTES_CLIENT}' };
    await save(entry({ client }));
    expect(await settled()).toMatchObject({
      status: 'ready',
      client: { kind: 'pre_registered', client_id: 'by-hand' },
    });
    expect(asked(paths.register)).toEqual([]);
    await admin.ok('DELETE', `${base}/secrets/NOTES_CLIENT`);
    await retry();
    expect(await settled()).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/NOTES_CLIENT/),
    });
  });

  it('of a server without a sign-in is ready at once', async () => {
    server.change(openReplies);
    await save();
    expect(await settled()).toMatchObject({ status: 'ready', sign_in: 'none', parties: null, client: null });
  });

  it('of a server with a static key asks nothing of the server', async () => {
    const manifest = { env: { KEY: { kind: 'secret', label: 'Key', required: true } } };
    const headers = [{ name: 'Authorization', prefix: 'Bearer ', variable: 'KEY' }];
    await save(entry({ headers }, { manifest }));
    expect(await settled()).toMatchObject({ status: 'ready', sign_in: 'headers' });
    expect(server.requests).toEqual([]);
  });

  it('begins by a sweep when Temporal was not notified of it', async () => {
    await save();
    await settled();
    await api
      .db('mcp_registrations')
      .where({ workspace_id: workspaceId })
      .update({ status: 'pending', revision: api.db.raw('revision + 1') });
    expect(await settled()).toMatchObject({ status: 'ready' });
  });
});

it('has a public Client ID Metadata Document where the platform has a public address', async () => {
  await save();
  const { redirect_uri: redirectUri } = await settled();
  const id = redirectUri.split('/').at(-1) ?? '';
  const path = `/api/oauth/clients/${id}`;
  const anonymous = caller(api.url);
  expect(await anonymous.send('GET', path)).toMatchObject({ status: 404 });
  const url = `https://platform.example/api/oauth/clients/${id}`;
  await api.db('mcp_registrations').where({ id }).update({ client_metadata_url: url });
  expect(await anonymous.send('GET', path)).toMatchObject({
    status: 200,
    body: {
      client_id: url,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      client_name: 'Gatepost (notes)',
    },
  });
  await admin.ok('DELETE', `${base}/mcp-servers/notes`);
  expect(await anonymous.send('GET', path)).toMatchObject({ status: 404 });
});

describe('a session', () => {
  const attach = (agentId: string) =>
    admin.send('PUT', `/api/agents/${agentId}/mcp-attachments`, { name: 'notes', env: {} });
  const makeAgent = async (kind: 'worker' | 'orchestrator') => {
    const body = {
      name: `a-${kind}`,
      kind,
      run: { type: 'builtin', name: 'scripted' },
      instructions: '{"steps":[]}',
    };
    return (await admin.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body)).agent;
  };

  it('of an orchestrator attaches no remote server', async () => {
    await save();
    const { id } = await makeAgent('orchestrator');
    const answer = await attach(id);
    expect(answer).toMatchObject({ status: 422, body: { error: { fields: [{ code: 'workers_only' }] } } });
    const worker = await makeAgent('worker');
    expect(await attach(worker.id)).toMatchObject({ status: 200 });
    const changed = await admin.send('PATCH', `/api/agents/${worker.id}`, { kind: 'orchestrator' });
    expect(changed).toMatchObject({ status: 422, body: { error: { fields: [{ path: 'kind' }] } } });
  });

  it('does not start with a server that is not ready', async () => {
    server.change({ [paths.resource]: { json: {} }, [paths.rootResource]: { json: {} } });
    await save();
    await settled();
    const { id } = await makeAgent('worker');
    await attach(id);
    const { session } = await admin.ok<{ session: { id: string } }>('POST', `${base}/sessions`, {
      agent_id: id,
      prompt: 'go',
    });
    await eventually(async () => {
      const { session: now } = await admin.ok<{ session: object }>('GET', `/api/sessions/${session.id}`);
      expect(now).toMatchObject({
        status: 'failed',
        status_reason: expect.stringContaining('"notes" is a remote server that is not ready'),
      });
    });
  });
});
