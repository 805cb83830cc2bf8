/** One visitor of previews who reads none of their files, beside another. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { previewRoutes } from '../../../api/previews/routes.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { deployPreview, fileReadsThatWait } from '../../support/deployed-preview.ts';
import { eventually } from '../../support/eventually.ts';
import { noWorkflows } from '../../support/no-workflows.ts';

let api: TestApi;

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const workflows = { ...noWorkflows, signalServicePreview: async () => true };
  // A visitor's share is one file of that size, and all have room for four.
  const overrides = { LIMIT_PREVIEW_FILE_BYTES: String(16 * 1024 * 1024) };
  api = await startTestApi(overrides, (db, config) => previewRoutes({ db, config, log, workflows }));
});
afterAll(() => api.stop());

it('files of previews that a visitor has not read leave room for those of others', async () => {
  const opened = await api.workspace();
  const openFor = await deployPreview(api, opened);
  const [ask, askAsOther] = [await openFor(opened.member), await openFor(opened.admin)];
  const statuses: (number | undefined)[] = [];
  await api.db.transaction(async (trx) => {
    // What is read is not yet sent, and holds its room.
    await trx.raw('lock table preview_files in access exclusive mode');
    const asked = Array.from({ length: 5 }, async () => statuses.push(await ask()));
    await eventually(() => expect(statuses).toEqual([503, 503, 503, 503]));
    const other = askAsOther();
    await eventually(async () => expect(await fileReadsThatWait(trx)).toBe(2));
    await trx.commit();
    await Promise.all(asked);
    expect({ statuses, other: await other }).toEqual({ statuses: [503, 503, 503, 503, 200], other: 200 });
  });
});

it('a visitor who leaves has no file read for them that waits for room, and none beside the one that is being read', async () => {
  const opened = await api.workspace();
  const openFor = await deployPreview(api, opened);
  const [ask, askAsOther] = [await openFor(opened.member), await openFor(opened.admin)];
  const leaving = new AbortController();
  await api.db.transaction(async (trx) => {
    await trx.raw('lock table preview_files in access exclusive mode');
    const left = Array.from({ length: 5 }, () => ask(AbortSignal.any([leaving.signal])));
    await eventually(async () => expect(await fileReadsThatWait(trx)).toBe(1));
    leaving.abort();
    const ended = await Promise.allSettled(left);
    expect(ended.map(({ status }) => status)).toEqual(left.map(() => 'rejected'));
    const other = askAsOther();
    await eventually(async () => expect(await fileReadsThatWait(trx)).toBe(2));
    expect(await ask()).toBe(503);
    expect(await fileReadsThatWait(trx)).toBe(2);
    await trx.commit();
    expect(await other).toBe(200);
  });
  await eventually(async () => expect(await ask()).toBe(200));
});
