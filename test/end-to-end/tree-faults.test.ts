/**
 * A tree of sessions under `kill -9`: each session has one true outcome, nothing is done twice, and
 * nothing is left running.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parentEnded } from '../../commands/sessions/move.ts';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { SessionEventType } from '../../contract/session-event.ts';
import type { Workspace } from '../../contract/workspace.ts';
import { sessionDirectory } from '../../runtime/process/session-record.ts';
import type { Db } from '../../store/database.ts';
import { lockQuota } from '../../store/quotas/quotas.ts';
import { hostOf } from '../integration/runtime/process-driver.ts';
import { ask, write } from '../support/asking-steps.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { runningWorkflows } from '../support/platform-workflows.ts';
import { processesMentioning } from '../support/processes.ts';
import {
  createOrchestrator,
  end,
  failToSpawn,
  getToSpawn,
  hear,
  readUntil,
  saved,
  sessionsBelow,
  spawn,
  tellCaller,
  tellChild,
} from '../support/tree-steps.ts';

const writing = [
  write('permission_required'),
  ask('once'),
  hear('permission_decision', 'was approved'),
  write(),
  tellCaller('it is written'),
  hear('session_message', 'thank you'),
  end('Written.'),
];

/** Under a `once` grant: a second child would need another. */
const starting = (writerId: string) => [
  failToSpawn(writerId, 'permission_required'),
  ...getToSpawn(writerId),
  spawn(writerId, { saveAs: 'writer' }),
];
const leading = (writerId: string) => [
  ...starting(writerId),
  hear('session_message', 'it is written'),
  tellChild(saved('writer'), 'thank you'),
  hear('child_ended', 'as completed'),
  end('All done.'),
];

let platform: Platform;
let ada: FrontDoor;
let workspaceId: string;
let parent: Session;
let spawnGrant: Grant;

beforeAll(async () => {
  platform = await startPlatform({ usesRunServers: true, withoutDemoSession: true });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  const { workspace } = await ada.ok<{ workspace: Workspace }>('GET', ada.workspace);
  workspaceId = workspace.id;
});
afterAll(() => platform?.stop());

/** Starts a tree whose parent asks for its grant; `approveSpawn` lets it go on. */
async function startLead(stepsWith: (writerId: string) => unknown[]): Promise<PermissionRequest> {
  const name = expect.getState().currentTestName ?? '';
  const writer = await ada.createAgent(`writer: ${name}`.slice(0, 100), writing, { files: {} });
  const lead = await createOrchestrator(ada, `lead: ${name}`.slice(0, 100), stepsWith(writer.id));
  parent = await ada.startSession(lead.id);
  return ada.openRequest(parent.id);
}
const approveSpawn = async (request: PermissionRequest) => {
  spawnGrant = await ada.approve(request, 'once');
};

/** The one child, once it waits for a person. */
async function waitingChild(): Promise<{ child: Session; request: PermissionRequest }> {
  const child = await onlyChild();
  const request = await ada.openRequest(child.id);
  await untilFound('a child that waits', async () =>
    (await ada.events(child.id)).find(({ payload }) =>
      String(payload['status']).includes('wait for a message'),
    ),
  );
  return { child, request };
}
const onlyChild = () => untilFound('a child', async () => (await sessionsBelow(ada, parent.id))[0], 180_000);

/** Keeps everybody from starting sessions in the workspace, until `work` is done. */
const withoutNewSessions = (work: (db: Db) => Promise<void>) =>
  withPlatformDatabase(platform, (db) =>
    db.transaction(async (trx) => {
      await lockQuota(trx, { workspaceId });
      await work(trx);
    }),
  );
const untilSomebodyWaits = (db: Db) =>
  untilFound('a call that waits to start a session', async () => {
    const { rows } = await db.raw(
      `select from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length > 0 ? true : null;
  });

const payloads = async (id: string, type: SessionEventType) =>
  (await ada.events(id)).filter((event) => event.type === type).map(({ payload }) => payload);

/**
 * One child of one use of the grant, which is used up, with one start and one end in the
 * transcript of its parent.
 */
async function expectOneChild(status: Session['status']): Promise<void> {
  const children = await sessionsBelow(ada, parent.id);
  expect(children).toMatchObject([{ status, parent_session_id: parent.id }]);
  const session_id = children[0]?.id;
  expect(await payloads(parent.id, 'child.started')).toMatchObject([{ session_id }]);
  expect(await payloads(parent.id, 'child.ended')).toMatchObject([{ session_id, status }]);
  const path = `${ada.workspace}/grants/${spawnGrant.id}`;
  expect(await ada.ok('GET', path)).toMatchObject({ grant: { state: 'consumed' } });
  expect(await ada.ok('GET', `${path}/uses`)).toMatchObject({ uses: [{ tool: 'spawn_session' }] });
}

/** No process, no workflow and no row of anything that has not ended. */
async function expectNothingRuns(): Promise<void> {
  const ids = [parent, ...(await sessionsBelow(ada, parent.id))].map(({ id }) => id);
  for (const id of ids) {
    await eventually(async () => expect(await processesMentioning(id)).toEqual([]));
  }
  await eventually(async () => expect(await runningWorkflows(platform)).toEqual([]));
  await withPlatformDatabase(platform, async (db) => {
    expect(await db('sessions').whereNull('ended_at').select('id')).toEqual([]);
    expect(await db('permission_requests').where({ status: 'open' }).select('id')).toEqual([]);
  });
}

/** Both do all that they were to do, and each of their messages arrives once. */
async function expectAllDone(childId: string): Promise<void> {
  expect(await ada.ended(parent.id)).toMatchObject({
    status: 'completed',
    outcome: { summary: 'All done.' },
  });
  expect(await ada.ended(childId)).toMatchObject({ status: 'completed', outcome: { summary: 'Written.' } });
  await expectOneChild('completed');
  const said = (await payloads(parent.id, 'session.message')).map(({ direction, text }) => [direction, text]);
  expect(said).toEqual([
    ['received', 'it is written'],
    ['sent', 'thank you'],
  ]);
  const calls = (await ada.toolCalls(childId)).filter(({ data }) => data['tool'] === 'write_file');
  expect(calls.map(({ data }) => data['outcome'])).toEqual(['permission_required', 'ok']);
  await expectNothingRuns();
}

const killHost = (id: string) =>
  process.kill(hostOf(sessionDirectory(join(platform.dataDirectory, 'sessions'), id)), 'SIGKILL');

it.each(['worker', 'api', 'sidecar of the child', 'sidecar of the parent'])(
  'goes on when the %s is killed while the child waits for a person',
  async (victim) => {
    await approveSpawn(await startLead(leading));
    const { child, request } = await waitingChild();
    const [what, ofWhom] = victim.split(' of the ');
    await platform.kill(what as 'worker' | 'api' | 'sidecar', ofWhom === 'child' ? child.id : parent.id);
    await platform.healthy();
    await ada.approveWhenBack(request);
    await expectAllDone(child.id);
  },
);

it('starts one child when the API is killed while it starts it', async () => {
  const request = await startLead(leading);
  await withoutNewSessions(async (db) => {
    await approveSpawn(request);
    await untilSomebodyWaits(db);
    await platform.kill('api', '');
  });
  await platform.healthy();
  const waiting = await waitingChild();
  await ada.approveWhenBack(waiting.request);
  await expectAllDone(waiting.child.id);
});

it('ends a child whose parent never heard of it, since its sidecar was killed during the call', async () => {
  const request = await startLead(leading);
  await withoutNewSessions(async (db) => {
    await approveSpawn(request);
    await untilSomebodyWaits(db);
    await platform.kill('sidecar', parent.id);
  });
  expect(await ada.ended(parent.id)).toMatchObject({ status: 'failed' });
  const child = await ada.ended((await onlyChild()).id);
  expect(child).toMatchObject({ status: 'terminated', status_reason: parentEnded });
  await expectOneChild('terminated');
  await expectNothingRuns();
});

it('tells the parent of a child that was lost with its host', async () => {
  const lost = (writerId: string) => [
    ...starting(writerId),
    hear('child_ended', 'as failed'),
    readUntil(saved('writer'), { path: 'status', equals: 'failed' }),
    end('All done.'),
  ];
  await approveSpawn(await startLead(lost));
  const { child, request } = await waitingChild();
  killHost(child.id);
  expect(await ada.ended(child.id)).toMatchObject({
    status: 'failed',
    status_reason: expect.stringMatching(/lost/i),
  });
  expect(await ada.ended(parent.id)).toMatchObject({ status: 'completed' });
  await expectOneChild('failed');
  const path = `${ada.workspace}/permission-requests/${request.id}`;
  expect(await ada.ok('GET', path)).toMatchObject({ permission_request: { status: 'cancelled' } });
  await expectNothingRuns();
});

it.each([
  ['and its worker with it', true],
  ['alone', false],
])('ends the child of a parent that was lost with its host, %s', async (_how, withWorker) => {
  await approveSpawn(await startLead(leading));
  const { child } = await waitingChild();
  killHost(parent.id);
  if (withWorker) {
    await platform.kill('worker', '');
  }
  expect(await ada.ended(parent.id)).toMatchObject({
    status: 'failed',
    status_reason: expect.stringMatching(/lost/i),
  });
  expect(await ada.ended(child.id)).toMatchObject({ status: 'terminated', status_reason: parentEnded });
  await expectOneChild('terminated');
  await expectNothingRuns();
});
