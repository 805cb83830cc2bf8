/** What visitors of a workspace's previews read, beside another workspace. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { previewRoutes } from '../../../api/previews/routes.ts';
import { workspaceConnections } from '../../../config/tool-connections.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { deployPreview, fileReadsThatWait } from '../../support/deployed-preview.ts';
import { eventually } from '../../support/eventually.ts';
import { noWorkflows } from '../../support/no-workflows.ts';

/** Files that a visitor is sent at a time. */
const filesOfVisitor = 16;
let api: TestApi;

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const workflows = { ...noWorkflows, signalServicePreview: async () => true };
  api = await startTestApi({}, (db, config) => previewRoutes({ db, config, log, workflows }));
});
afterAll(() => api.stop());

it('takes no more connections to the database than the share of the workspace', async () => {
  const { usual } = workspaceConnections(api.config);
  const opened = await api.workspace();
  const other = await api.workspace();
  const openFor = await deployPreview(api, opened);
  const visitors = [await openFor(opened.member), await openFor(opened.admin)];
  await api.db.transaction(async (trx) => {
    await trx.raw('lock table preview_files in access exclusive mode');
    const asked = visitors.flatMap((ask) => Array.from({ length: filesOfVisitor }, () => ask()));
    await eventually(async () => expect(await fileReadsThatWait(trx)).toBe(usual));
    expect(await other.member.send('GET', `${other.base}/agents`)).toMatchObject({ status: 200 });
    expect(await fileReadsThatWait(trx)).toBe(usual);
    await trx.commit();
    expect(await Promise.all(asked)).toEqual(asked.map(() => 200));
  });
});
