/** One visitor of previews who reads none of their files, beside another. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { previewRoutes } from '../../../api/routes/previews/routes.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { insertPreview } from '../../../store/previews/change.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { noWorkflows } from '../../support/no-workflows.ts';
import { requestAtHost } from '../../support/request-at-host.ts';

let api: TestApi;

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const workflows = { ...noWorkflows, signalServicePreview: async () => true };
  // A visitor's share is one file of that size, and all have room for four.
  const overrides = { LIMIT_PREVIEW_FILE_BYTES: String(16 * 1024 * 1024) };
  api = await startTestApi(overrides, (db, config) => previewRoutes({ db, config, log, workflows }));
});
afterAll(() => api.stop());

/** A preview of one file, as `preview_deploy` leaves it. */
async function deployed({ workspace, member, base }: Awaited<ReturnType<TestApi['workspace']>>) {
  const body = { name: 'maker', run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  const sessionId = randomUUID();
  await createSession(api.db, {
    ...{ id: sessionId, workspaceId: workspace.id, agentId: agent.id, prompt: '' },
    ...{ operatorId: member.user.id, rootOperatorId: member.user.id, parentSessionId: null },
  });
  const { id: previewId } = await api.db.transaction((trx) =>
    insertPreview(trx, {
      ...{ workspaceId: workspace.id, sessionId, callId: randomUUID(), title: null, audience: 'workspace' },
      ...{ service: null, files: [{ path: 'index.html', bytes: Buffer.from('<p>here') }], seconds: 600 },
    }),
  );
  return async (who: Person) => {
    const { headers } = await who.send('GET', `${base}/previews/${previewId}/open`);
    const { host } = new URL(headers.get('location') ?? '');
    return async () => (await requestAtHost(api.url, { host, path: '/', headers: {}, method: 'GET' })).status;
  };
}

it('files of previews that a visitor has not read leave room for those of others', async () => {
  const opened = await api.workspace();
  const openFor = await deployed(opened);
  const [ask, askAsOther] = [await openFor(opened.member), await openFor(opened.admin)];
  const statuses: (number | undefined)[] = [];
  await api.db.transaction(async (trx) => {
    // What is read is not yet sent, and holds its room.
    await trx.raw('lock table preview_files in access exclusive mode');
    const asked = Array.from({ length: 5 }, async () => statuses.push(await ask()));
    await eventually(() => expect(statuses).toEqual([503, 503, 503, 503]));
    const other = askAsOther();
    await eventually(async () => {
      const waiting = "select from pg_locks where not granted and relation = 'preview_files'::regclass";
      expect((await trx.raw(waiting)).rows).toHaveLength(2);
    });
    await trx.commit();
    await Promise.all(asked);
    expect({ statuses, other: await other }).toEqual({ statuses: [503, 503, 503, 503, 200], other: 200 });
  });
});
