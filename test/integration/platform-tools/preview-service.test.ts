/**
 * `preview_deploy` of a service on a real database: what it stores, begins and
 * announces, and what it refuses.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { endPreview, endService } from '../../../commands/previews/end.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { FrozenVariable } from '../../../contract/session.ts';
import { systemActor } from '../../../contract/session-event.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { freezeServices, frozenService } from '../../support/service-previews.ts';

const limits = {
  LIMIT_SERVICES_PER_SESSION: '2',
  LIMIT_SERVICES_PER_WORKSPACE: '3',
  RATE_SERVICES_PER_HOUR_PER_SESSION: '4',
  RATE_SERVICES_PER_HOUR_PER_WORKSPACE: '5',
};

let tools: TestTools;
let caller: ToolCaller;

beforeAll(async () => {
  tools = await openTools(limits);
});
beforeEach(async () => {
  caller = await withServices(await tools.caller());
});
afterAll(() => tools.close());

async function withServices(of: ToolCaller, names = ['web', 'api']): Promise<ToolCaller> {
  await freezeServices(
    tools.db,
    of,
    names.map((name) => frozenService(name)),
  );
  return of;
}

interface Deployed {
  preview_id: string;
  url: string;
  expires_at: string;
}

const deploy = (given: object = {}, { by = caller, callId }: { by?: ToolCaller; callId?: string } = {}) =>
  tools.ok<Deployed>(by, 'preview_deploy', { service: 'web', ...given }, callId);
const attempt = (given: object = {}, by = caller) =>
  tools.call(by, 'preview_deploy', { service: 'web', ...given });
const previewsOf = (of: ToolCaller) => tools.db('previews').where({ session_id: of.id });
const serviceOf = (previewId: string) =>
  tools.db('preview_services').where({ preview_id: previewId }).first();
const stop = (previewId: string) => endService(tools.db, previewId, { state: 'stopped', reason: null });
const startedAgo = (previewId: string, interval: string) =>
  tools
    .db('preview_services')
    .where({ preview_id: previewId })
    .update({ created_at: tools.db.raw('now() - ?::interval', [interval]) });

describe('deploying a service', () => {
  it('stores that it is wanted and begins its workflow, and waits for nothing', async () => {
    const { preview_id: id, url, expires_at } = await deploy({ title: 'Live', ttl_seconds: 600 });
    expect(url).toMatch(`/previews/${id}`);
    expect(await previewsOf(caller)).toMatchObject([
      { id, expires_at, title: 'Live', service: 'web', files: 0, size_bytes: 0, ended_at: null },
    ]);
    expect(await serviceOf(id)).toMatchObject({
      ...{ state: 'pending', reason: null, configuration: null, reported_url: null, address: null },
      ...{ started_at: null, stopped_at: null },
    });
    expect(tools.services.filter((each) => each === id)).toHaveLength(1);
  });

  it('is announced in the transcript and recorded in the audit trail by the name of the service', async () => {
    const { preview_id: id, expires_at } = await deploy({ title: 'secret words' });
    const events = await tools.db('session_events').where({ session_id: caller.id, type: 'agent.preview' });
    const facts = { service: 'web', files: 0, size_bytes: 0, expires_at };
    expect(events.map(({ payload }) => payload)).toEqual([
      { preview_id: id, title: 'secret words', ...facts },
    ]);
    const audited = await tools.db('audit_events').where({ resource_id: id });
    expect(audited).toEqual([
      expect.objectContaining({
        ...{ event: 'session.preview.deployed', actor_type: 'agent', actor_id: caller.agent_id },
        data: { audience: 'workspace', ...facts },
      }),
    ]);
    expect(JSON.stringify(audited)).not.toContain('secret words');
  });

  it('happens once for a call that is sent again, whose workflow is begun again while it is live', async () => {
    const callId = randomUUID();
    const [first, second] = await Promise.all([deploy({}, { callId }), deploy({}, { callId })]);
    expect(first).toEqual(second);
    expect(await previewsOf(caller)).toHaveLength(1);
    const begun = () => tools.services.filter((id) => id === first.preview_id).length;
    expect(begun()).toBe(2);
    await stop(first.preview_id);
    expect(await deploy({}, { callId })).toEqual(first);
    expect(begun()).toBe(2);
    expect(await previewsOf(caller)).toHaveLength(1);
  });

  it('succeeds while Temporal is unavailable: a worker begins it later', async () => {
    const { startServicePreview } = tools.workflows;
    tools.workflows.startServicePreview = () => Promise.reject(new Error('Temporal does not answer'));
    try {
      const { preview_id: id } = await deploy();
      expect(await serviceOf(id)).toMatchObject({ state: 'pending' });
      expect(tools.logged()).toContain('the service starts later');
    } finally {
      tools.workflows.startServicePreview = startServicePreview;
    }
  });
});

describe('a service is refused', () => {
  it('beside files, and without either', async () => {
    const files = [{ path: 'index.html', text: '' }];
    expect(await attempt({ files })).toMatchObject({
      ...{ code: 'validation_failed', message: 'service: must not be given beside files' },
    });
    expect(await tools.call(caller, 'preview_deploy', {})).toMatchObject({
      ...{ code: 'validation_failed', message: 'files: is required, or else service' },
    });
  });

  it('that the agent does not have, with the names of those that it has and of no other session', async () => {
    const colleague = await withServices(await tools.colleague(caller), ['theirs']);
    expect(await attempt({ service: 'theirs' })).toMatchObject({
      ...{ status: 'failed', code: 'not_found' },
      message: 'service: this agent has no service "theirs"; it has web, api',
    });
    expect(await attempt({ service: 'web' }, colleague)).toMatchObject({
      message: 'service: this agent has no service "web"; it has theirs',
    });
    const without = await withServices(await tools.colleague(caller), []);
    expect(await attempt({}, without)).toMatchObject({
      ...{ code: 'not_found', message: 'service: this agent has no service "web"; it has none' },
    });
    expect(await previewsOf(colleague)).toEqual([]);
  });

  it.each(['', '../web', 'we b', 'w'.repeat(200), "web'--"])(
    'by a name that is none: %j',
    async (service) => {
      const answer = await attempt({ service });
      expect(answer).toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(/^service: /),
      });
      expect(JSON.stringify(answer).length).toBeLessThan(400);
    },
  );

  const value = (text: string): FrozenVariable => ({ kind: 'value', value: text });
  it.each([
    ['80', value('80'), 'must be a port from 1024 to 65535'],
    ['70000', value('70000'), 'must be a port from 1024 to 65535'],
    ['text', value('http'), 'must be a port from 1024 to 65535'],
    ['nothing', value(''), 'must be a port from 1024 to 65535'],
    [
      'a secret',
      { kind: 'secret', secret_name: 'WEB_PORT', secret_version: 1 } as const,
      'must be a plain value, and not a secret',
    ],
  ])('whose PORT is %s', async (_what, PORT, problem) => {
    const of = await tools.colleague(caller);
    await freezeServices(tools.db, of, [frozenService('web', { PORT })]);
    expect(await attempt({}, of)).toMatchObject({
      code: 'validation_failed',
      message: `service: PORT of "web" ${problem}; whoever may edit the agent changes it`,
    });
    expect(await previewsOf(of)).toEqual([]);
  });

  it('once the session has ended, but for a call that made one before', async () => {
    const callId = randomUUID();
    const made = await deploy({}, { callId });
    await moveSession(tools.db, caller.id, { to: 'failed', reason: 'test' });
    expect(await attempt()).toMatchObject({
      ...{ code: 'not_allowed', message: expect.stringContaining('The session has ended') },
    });
    expect(await deploy({}, { callId })).toEqual(made);
  });
});

describe('quotas of services', () => {
  const refused = (message: string) => ({ status: 'failed', code: 'limit_reached', message });

  it('count those that are not stopped, of a session and of a workspace', async () => {
    const first = await deploy();
    await deploy({ service: 'api' });
    expect(await attempt()).toMatchObject(
      refused('The limit is 2 running services per session; one has to stop first'),
    );
    // The end of a preview frees no place before its service is stopped.
    await endPreview(tools.db, first.preview_id, systemActor);
    expect(await attempt()).toMatchObject({ code: 'limit_reached' });
    const colleague = await withServices(await tools.colleague(caller));
    await deploy({}, { by: colleague });
    expect(await attempt({}, colleague)).toMatchObject(
      refused('The limit is 3 running services per workspace; one has to stop first'),
    );
    // Another workspace has its own.
    await deploy({}, { by: await withServices(await tools.caller()) });
    await stop(first.preview_id);
    await deploy({}, { by: colleague });
  });

  it('count those that were started within an hour, of a session and of a workspace', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { preview_id: id } = await deploy();
      await stop(id);
      ids.push(id);
    }
    await startedAgo(ids[0] ?? '', '55 minutes');
    const answer = await attempt();
    expect(answer).toMatchObject({
      code: 'limit_reached',
      message: expect.stringMatching(
        /^The limit is 4 services started an hour per session; try again in (300|29\d) s$/,
      ),
    });
    const colleague = await withServices(await tools.colleague(caller));
    await stop((await deploy({}, { by: colleague })).preview_id);
    expect(await attempt({}, colleague)).toMatchObject({
      message: expect.stringContaining('The limit is 5 services started an hour per workspace'),
    });
    await startedAgo(ids[0] ?? '', '61 minutes');
    await deploy();
  });

  it('hold exactly for calls at the same time, also of two sessions', async () => {
    const colleague = await withServices(await tools.colleague(caller));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => attempt({}, at % 2 === 0 ? caller : colleague)),
    );
    expect(answers.filter(({ status }) => status === 'ok')).toHaveLength(3);
    const stored = [...(await previewsOf(caller)), ...(await previewsOf(colleague))];
    expect(stored).toHaveLength(3);
  });
});

describe('the end of the session', () => {
  it('ends the previews of its services, and none of files', async () => {
    const { preview_id: ofService } = await deploy();
    const files = [{ path: 'index.html', text: '' }];
    const { preview_id: ofFiles } = await tools.ok<Deployed>(caller, 'preview_deploy', { files });
    await moveSession(tools.db, caller.id, { to: 'completed', reason: null });
    const rows = await previewsOf(caller);
    expect(rows.find(({ id }) => id === ofService)?.ended_at).not.toBeNull();
    expect(rows.find(({ id }) => id === ofFiles)?.ended_at).toBeNull();
    const audited = await tools.db('audit_events').where({ event: 'session.preview.ended' });
    const ofIts = audited.filter(({ resource_id }) => resource_id === ofService);
    expect(ofIts).toEqual([expect.objectContaining({ actor_type: 'system', session_id: caller.id })]);
  });

  it('that comes at the same time as the call leaves no live preview', async () => {
    await Promise.all([
      Promise.all([attempt(), attempt()]),
      moveSession(tools.db, caller.id, { to: 'completed', reason: null }),
    ]);
    const live = (await previewsOf(caller)).filter(({ ended_at }) => ended_at === null);
    expect(live).toEqual([]);
  });
});
