/** How much a workspace may store of what lists show whole: agents, catalog entries, their variables. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    RUNTIME: 'process',
    LIMIT_AGENTS_PER_WORKSPACE: '5',
    LIMIT_MCP_SERVERS_PER_WORKSPACE: '3',
  });
});
afterAll(() => api.stop());

const run = { type: 'builtin', name: 'scripted' };
const addAgent = (person: Person, base: string, name: string, more: object = {}) =>
  person.send('POST', `${base}/agents`, { name, run, ...more });
const register = (person: Person, base: string, name: string, env: object = {}) =>
  person.send('POST', `${base}/mcp-servers`, {
    name,
    shape: { type: 'command', command: 'mcp-server' },
    manifest: { env },
  });
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

it('agents of a workspace are limited, also when many are created concurrently, and a removed one frees a place', async () => {
  const { admin, member, base } = await api.workspace();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const answers = await Promise.all(names.map((name) => addAgent(member, base, name)));
  expect(statuses(answers)).toEqual([201, 201, 201, 201, 201, 409, 409]);
  expect(await addAgent(admin, base, 'h')).toMatchObject({
    status: 409,
    body: { error: { message: 'The limit is 5 agents per workspace; remove one first' } },
  });
  const other = await api.workspace();
  expect(await addAgent(other.member, other.base, 'a')).toMatchObject({ status: 201 });
  const { agents } = await member.ok<{ agents: { id: string }[] }>('GET', `${base}/agents`);
  await admin.ok('DELETE', `/api/agents/${agents[0]?.id}`);
  expect(await addAgent(member, base, 'h')).toMatchObject({ status: 201 });
});

it('catalog entries of a workspace are limited in the same way', async () => {
  const { admin, base } = await api.workspace();
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => register(admin, base, name)));
  expect(statuses(answers)).toEqual([201, 201, 201, 409, 409]);
  expect(await register(admin, base, 'f')).toMatchObject({
    body: { error: { message: 'The limit is 3 catalog entries per workspace; remove one first' } },
  });
  const { mcp_servers: entries } = await admin.ok<{ mcp_servers: { name: string }[] }>(
    'GET',
    `${base}/mcp-servers`,
  );
  await admin.ok('DELETE', `${base}/mcp-servers/${entries[0]?.name}`);
  expect(await register(admin, base, 'f')).toMatchObject({ status: 201 });
});

it('an agent has 200 variables at most, at creation and after a change', async () => {
  const { member, base } = await api.workspace();
  const variables = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`V_${index}`, 'x']));
  const tooMany = {
    status: 422,
    body: { error: { fields: [{ path: 'env', message: expect.stringContaining('200') }] } },
  };
  expect(await addAgent(member, base, 'a', { env: variables(201) })).toMatchObject(tooMany);
  const made = await addAgent(member, base, 'a', { env: variables(200) });
  expect(made.status).toBe(201);
  const { agents } = await member.ok<{ agents: { id: string }[] }>('GET', `${base}/agents`);
  const path = `/api/agents/${agents[0]?.id}`;
  expect(await member.send('PATCH', path, { env: variables(201) })).toMatchObject(tooMany);
  expect(await member.send('PATCH', path, { name: 'b' })).toMatchObject({ status: 200 });
});

it('the values of all attachments of an agent are limited to 1 MiB', async () => {
  const { admin, member, base } = await api.workspace();
  const field = (index: number) => [`V_${index}`, { kind: 'value', label: 'V' }] as const;
  const env = Object.fromEntries(Array.from({ length: 25 }, (_, index) => field(index)));
  for (const name of ['a', 'b']) {
    expect(await register(admin, base, name, env)).toMatchObject({ status: 201 });
  }
  await addAgent(member, base, 'a');
  const { agents } = await member.ok<{ agents: { id: string }[] }>('GET', `${base}/agents`);
  const values = (bytes: number) =>
    Object.fromEntries(Object.keys(env).map((name) => [name, 'x'.repeat(bytes)]));
  const attach = (name: string, bytes: number) =>
    member.send('PUT', `/api/agents/${agents[0]?.id}/mcp-attachments`, { name, env: values(bytes) });
  expect((await attach('a', 30_000)).status).toBeLessThan(300);
  expect(await attach('b', 20_000)).toMatchObject({
    status: 422,
    body: { error: { fields: [{ path: 'name', message: expect.stringContaining('1048576 bytes') }] } },
  });
  expect((await attach('b', 10_000)).status).toBeLessThan(300);
  // What is stored already does not count twice.
  expect((await attach('a', 29_000)).status).toBeLessThan(300);
});
