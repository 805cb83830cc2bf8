/** Entries that run an image: read from a registry when they are registered, replaced and checked. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { McpServer } from '../../../contract/catalog.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { image, startTestRegistry, type TestRegistry, tar } from '../../support/images.ts';

const password = 'registry-password-that-nobody-may-read';
const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`;

/** Releases the answers that a test holds back. */
const held: (() => void)[] = [];

let registry: TestRegistry;
let api: TestApi;
let admin: Person;
let member: Person;
let base: string;
let entries: string;
let workspaceId: string;

beforeAll(async () => {
  registry = await startTestRegistry((request, response) => {
    if (request.url === '/v2/slow/server/manifests/1') {
      held.push(() => response.writeHead(404).end());
      return true;
    }
    const isRefused =
      request.url?.startsWith('/v2/private/') && request.headers.authorization !== authorization;
    if (isRefused) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    }
    return isRefused === true;
  });
  api = await startTestApi({ PRIVATE_REGISTRIES: `http://${registry.host}` });
});
afterAll(async () => {
  await api.stop();
  await registry.close();
});
beforeEach(async () => {
  const made = await api.workspace();
  ({ admin, member, base } = made);
  workspaceId = made.workspace.id;
  entries = `${base}/mcp-servers`;
});

const imageWith = (
  manifest?: object | string,
  config: object = { Entrypoint: ['/server'], Cmd: ['-v'], Volumes: { '/data': {} } },
) => {
  const content = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  const layers = manifest === undefined ? [] : [tar([{ path: 'mcp-manifest.json', content }])];
  return image({ layers, config });
};
const first = imageWith({
  env: { TOKEN: { kind: 'secret', label: 'Token' } },
  tool_scopes: { write: 'files.write' },
});
const second = imageWith({ env: {}, tool_scopes: { write: 'files.write', remove: 'files.remove' } });
const entry = (more: object = {}, repository = 'team/server') => ({
  name: 'boxed',
  shape: { type: 'image', image: `${registry.host}/${repository}:1`, ...more },
});
type OneServer = { mcp_server: McpServer };

describe('an image entry', () => {
  it('is stored with the digest, command and manifest of its image', async () => {
    registry.push('team/server', '1', first);
    const { mcp_server } = await admin.ok<OneServer>('POST', entries, entry());
    expect(mcp_server).toMatchObject({
      image_digest: first.digest,
      image_command: ['/server', '-v'],
      image_volumes: ['/data'],
      manifest_source: 'image',
      manifest: { env: { TOKEN: { kind: 'secret' } }, tool_scopes: { write: 'files.write' } },
      version: 1,
    });
    expect(await member.ok('GET', `${entries}/boxed`)).toEqual({ mcp_server });
  });

  it('has no manifest when its image has none, and a pasted one wins without a layer being read', async () => {
    registry.push('team/bare', '1', imageWith());
    expect(await admin.ok('POST', entries, entry({}, 'team/bare'))).toMatchObject({
      mcp_server: { manifest_source: 'none', manifest: { env: {}, tool_scopes: {} } },
    });
    registry.push('team/server', '1', first);
    registry.requests.length = 0;
    const manifest = { env: {}, tool_scopes: { read: 'files.read' } };
    expect(await admin.ok('PUT', `${entries}/boxed`, { ...entry(), manifest })).toMatchObject({
      mcp_server: { manifest_source: 'pasted', manifest, image_digest: first.digest, version: 2 },
    });
    expect(registry.requests).toHaveLength(2);
    expect(await admin.ok('PUT', `${entries}/boxed`, entry())).toMatchObject({
      mcp_server: { manifest_source: 'image', version: 3 },
    });
  });

  it('reports what a newer image would change, and uses it once the entry is replaced', async () => {
    registry.push('team/server', '1', first);
    await admin.ok('POST', entries, entry());
    const check = () => admin.ok('POST', `${entries}/boxed/image-check`, {});
    expect(await check()).toMatchObject({
      image_change: { old_digest: first.digest, new_digest: first.digest },
    });
    expect(await admin.ok('PUT', `${entries}/boxed`, entry())).toMatchObject({ mcp_server: { version: 1 } });

    registry.push('team/server', '1', second);
    expect(await check()).toEqual({
      image_change: {
        old_digest: first.digest,
        new_digest: second.digest,
        command_changed: false,
        env: { added: [], removed: ['TOKEN'], changed: [] },
        tool_scopes: { added: ['remove'], removed: [], changed: [] },
        scopes: ['files.remove', 'files.write'],
      },
    });
    expect(await admin.ok('GET', `${entries}/boxed`)).toMatchObject({
      mcp_server: { image_digest: first.digest },
    });
    const seen = (image_digest: string) =>
      admin.send('PUT', `${entries}/boxed`, { ...entry(), image_digest });
    expect(await seen(first.digest)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'image_digest', code: 'image_changed' }] } },
    });
    expect((await seen(second.digest)).body).toMatchObject({
      mcp_server: { version: 2, image_digest: second.digest },
    });
    const [event] = await api
      .db('audit_events')
      .where({ workspace_id: workspaceId, event: 'workspace.mcp.updated' })
      .select('data');
    expect(event?.data).toEqual({
      changed: ['manifest', 'image_digest'],
      version: 2,
      image_digest: { old: first.digest, new: second.digest },
    });
    expect(await member.send('POST', `${entries}/boxed/image-check`, {})).toMatchObject({ status: 403 });
  });

  it('can become a command, and drops the facts of the image', async () => {
    registry.push('team/server', '1', first);
    await admin.ok('POST', entries, entry());
    const shape = { type: 'command', command: 'server' };
    expect(await admin.ok('PUT', `${entries}/boxed`, { name: 'boxed', shape })).toMatchObject({
      mcp_server: { image_digest: null, image_command: null, manifest_source: 'none' },
    });
    expect(await admin.send('POST', `${entries}/boxed/image-check`, {})).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'shape.type', code: 'not_an_image' }] } },
    });
  });

  it.each<[string, () => [string, ReturnType<typeof image> | null], string]>([
    ['is not there', () => ['team/none', null], 'not_found'],
    ['runs nothing', () => ['team/odd', imageWith({}, {})], 'no_entrypoint'],
    ['has a manifest that is no JSON', () => ['team/odd', imageWith('{')], 'manifest_malformed'],
    [
      'has a manifest with an unknown field',
      () => ['team/odd', imageWith({ more: 1 })],
      'manifest_malformed',
    ],
    [
      'has a manifest that is too large',
      () => ['team/odd', imageWith(' '.repeat(300_000))],
      'manifest_too_large',
    ],
    [
      'sets a variable that decides which code runs',
      () => ['team/odd', imageWith({ env: { LD_PRELOAD: { kind: 'value', label: 'x' } } })],
      'manifest_malformed',
    ],
  ])('whose image %s is not stored', async (_what, make, code) => {
    const [repository, made] = make();
    if (made !== null) {
      registry.push(repository, '1', made);
    }
    expect(await admin.send('POST', entries, entry({}, repository))).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'shape.image', code }] } },
    });
    expect(await admin.send('GET', `${entries}/boxed`)).toMatchObject({ status: 404 });
  });

  it('whose manifest has more values than allowed is not stored or parsed', async () => {
    registry.push('team/many', '1', imageWith(`{"more":[${'0,'.repeat(10_000)}0]}`));
    const refused = await admin.send('POST', entries, entry({}, 'team/many'));
    expect(refused.text).toContain('it holds more than 10000 JSON values');
  });

  it('that cannot be read again stays unchanged', async () => {
    registry.push('team/server', '1', first);
    await admin.ok('POST', entries, entry());
    expect(await admin.send('PUT', `${entries}/boxed`, entry({}, 'team/none'))).toMatchObject({
      status: 422,
    });
    expect(await admin.ok('GET', `${entries}/boxed`)).toMatchObject({ mcp_server: { version: 1 } });
  });

  it.each(['10.0.0.1/team/server:1', '169.254.169.254/latest/meta-data:1', 'localhost:1/x:1'])(
    'at %s is refused',
    async (name) => {
      const shape = { type: 'image', image: name };
      expect(await admin.send('POST', entries, { name: 'boxed', shape })).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'shape.image', code: 'address_refused' }] } },
      });
    },
  );
});

describe('slow images', () => {
  it('limit their user to two reads across workspaces, and do not affect other users', async () => {
    const slow = (at = entries) => admin.send('POST', at, entry({}, 'slow/server'));
    const running = [slow(), slow()];
    await eventually(() => expect(held).toHaveLength(2));
    const slug = `w-${randomUUID().slice(0, 8)}`;
    await admin.ok('POST', '/api/workspaces', { slug, name: 'Another of the same user' });
    for (const at of [entries, `/api/workspaces/${slug}/mcp-servers`]) {
      expect(await slow(at)).toMatchObject({
        status: 429,
        body: { error: { message: 'The limit is 2 reads of images at a time per user' } },
      });
    }

    registry.push('team/server', '1', first);
    const other = await api.workspace();
    expect(await other.admin.send('POST', `${other.base}/mcp-servers`, entry())).toMatchObject({
      status: 201,
    });
    for (const answer of held.splice(0)) {
      answer();
    }
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([422, 422]);
    // The places are free again.
    expect(await admin.send('POST', entries, entry())).toMatchObject({ status: 201 });
  });

  it('limit the admins of a workspace to half of all reads, and do not affect other workspaces', async () => {
    registry.push('team/server', '1', first);
    const { workspace, admin: ada, base: own } = await api.workspace();
    const admins = [ada, await api.person(), await api.person()];
    for (const person of admins.slice(1)) {
      await api.join(workspace, person, 'admin');
    }
    const save = (person: Person, repository = 'slow/server') =>
      person.send('POST', `${own}/mcp-servers`, entry({}, repository));
    const running = admins.slice(0, 2).flatMap((person) => [save(person), save(person)]);
    await eventually(() => expect(held).toHaveLength(4));
    expect(await save(admins[2] ?? ada, 'team/server')).toMatchObject({
      status: 429,
      body: { error: { message: 'The limit is 4 reads of images at a time per workspace' } },
    });
    expect(await admin.send('POST', entries, entry())).toMatchObject({ status: 201 });
    for (const answer of held.splice(0)) {
      answer();
    }
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  });
});

describe('a registry that requires credentials', () => {
  const secret = { registry_secret: '${REGISTRY}' };
  const put = (value: string) => admin.ok('PUT', `${base}/secrets/REGISTRY`, { value });
  const refused = async (more: object = secret) => {
    const answer = await admin.send('POST', entries, entry(more, 'private/server'));
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain(password);
    return (answer.body as { error: { fields: { path: string; code: string }[] } }).error.fields[0];
  };

  it('receives those of the secret that the entry names', async () => {
    registry.push('private/server', '1', first);
    await put(`ada:${password}`);
    const made = await admin.ok<OneServer>('POST', entries, entry(secret, 'private/server'));
    expect(made.mcp_server.shape).toMatchObject(secret);
    expect(JSON.stringify(made)).not.toContain(password);
    expect(api.logged()).not.toContain(password);
  });

  it('is among the uses of that secret, before those of agents and page by page', async () => {
    registry.push('private/server', '1', first);
    await put(`ada:${password}`);
    for (const name of ['boxed', 'again']) {
      await admin.ok('POST', entries, { ...entry(secret, 'private/server'), name });
    }
    const command = { type: 'command', command: 'x', args: ['REGISTRY'] };
    await admin.ok('POST', entries, { name: 'plain', shape: command });
    await admin.ok('POST', `${base}/agents`, {
      name: 'zoe',
      run: { type: 'builtin', name: 'scripted' },
      env: { OWN: '${REGISTRY}' },
    });
    const uses: object[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const answer = await member.ok<{ uses: object[]; next_cursor: string | null }>(
        'GET',
        `${base}/secrets/REGISTRY/uses?limit=1${cursor}`,
      );
      uses.push(...answer.uses);
      cursor = `&cursor=${answer.next_cursor}`;
    }
    expect(uses).toEqual([
      { kind: 'registry_secret', agent: null, name: 'again', variable: null },
      { kind: 'registry_secret', agent: null, name: 'boxed', variable: null },
      expect.objectContaining({ kind: 'agent_env', agent: expect.objectContaining({ name: 'zoe' }) }),
    ]);
    const stranger = await api.workspace();
    await stranger.admin.ok('PUT', `${stranger.base}/secrets/REGISTRY`, { value: 'x' });
    expect(await stranger.admin.ok('GET', `${stranger.base}/secrets/REGISTRY/uses`)).toMatchObject({
      uses: [],
    });
  });

  it('receives none if none is named, or if the secret may not be used', async () => {
    registry.push('private/server', '1', first);
    expect(await refused({})).toMatchObject({ path: 'shape.image', code: 'unauthorized' });
    // A bare name, unlike every other reference.
    expect(await refused({ registry_secret: 'REGISTRY' })).toMatchObject({ path: 'shape.registry_secret' });
    expect(await refused()).toMatchObject({ path: 'shape.registry_secret', code: 'secret_not_set' });
    await put('ada:wrong');
    expect(await refused()).toMatchObject({ path: 'shape.image', code: 'unauthorized' });
    await put(password);
    expect(await refused()).toMatchObject({ path: 'shape.registry_secret', code: 'not_credentials' });
    await put(`ada:${password}`);
    await admin.ok('PATCH', `${base}/secrets/REGISTRY`, { allowed_servers: ['another'] });
    registry.requests.length = 0;
    expect(await refused()).toMatchObject({ path: 'shape.registry_secret', code: 'secret_not_allowed' });
    expect(registry.requests).toHaveLength(0);
    await admin.ok('PATCH', `${base}/secrets/REGISTRY`, { allowed_servers: ['boxed'] });
    expect(await admin.send('POST', entries, entry(secret, 'private/server'))).toMatchObject({ status: 201 });
  });
});
