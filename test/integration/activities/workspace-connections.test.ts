/** What the activities of one workspace leave of a worker's connections to others. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { createActivities } from '../../../activities/index.ts';
import { decisionsAtATime } from '../../../activities/workspace-share.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import type { Session } from '../../../contract/session.ts';
import { permissionRequestWorkflowId } from '../../../contract/workflows.ts';
import { openDatabase, type Transaction } from '../../../store/database.ts';
import { insertDecision } from '../../../store/decisions/decisions.ts';
import { readPermissionRequest } from '../../../store/permission-requests/requests.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { callKeys, freezeGates } from '../../support/granted.ts';
import type { Tenant } from '../../support/tenant.ts';

/** More than a workspace has slots for at a time, and than the pool has connections. */
const requestsOfLoud = decisionsAtATime / 2 + 1;

let activities: TestActivities;
let pool: Knex;
/** Of a worker whose pool has two connections, one of them for each workspace at most. */
let own: ReturnType<typeof createActivities>;
let loud: Asked;
let quiet: Asked;
/** Keeps what is about the sessions of `loud` waiting. */
let lock: Transaction;

interface Asked {
  tenant: Tenant;
  session: Session;
  requestIds: string[];
}

beforeAll(async () => {
  activities = await createTestActivities();
  pool = openDatabase(activities.databaseUrl, { poolSize: 2, acquireTimeoutMs: 2000 });
  own = createActivities({ ...activities.dependencies, db: pool, connectionsOfWorkspace: 1 });
});
beforeEach(async () => {
  [loud, quiet] = [await asked(requestsOfLoud), await asked(1)];
  lock = await activities.db.transaction();
  await lock('sessions').where({ id: loud.session.id }).forUpdate().select('id');
});
afterEach(() => lock.rollback());
afterAll(async () => {
  await pool.destroy();
  await activities.drop();
});

async function asked(count: number): Promise<Asked> {
  const tenant = await activities.tenant();
  const agent = await tenant.agent();
  const session = await freezeGates(activities.db, await tenant.session(agent), agent);
  const requestIds: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const request_id = randomUUID();
    const answer = await askForPermission(
      activities.db,
      callKeys,
      session.id,
      {
        ...{ request_id, grant_type: 'tool_scope', details: { scope: `files.${'x'.repeat(at + 1)}` } },
        ...{ scope: 'once', justification: 'to write', refused_call: null },
      },
      { openRequests: requestsOfLoud, denialMuteSeconds: 600, expirySeconds: 3600 },
    );
    expect(answer.status).toBe('sent');
    requestIds.push(request_id);
  }
  return { tenant, session, requestIds };
}

async function deny({ tenant }: Asked, requestId: string): Promise<string> {
  const id = randomUUID();
  await insertDecision(activities.db, {
    ...{ id, requestId, workspaceId: tenant.workspace.id, userId: tenant.max.id },
    ...{ kind: 'deny', reason: null, approval: null },
  });
  return id;
}

type Work = (asked: Asked, requestId: string) => Promise<unknown>;

const works: [string, Work, 'denied' | 'expired'][] = [
  [
    'a decision',
    async (asked, requestId) => {
      const input = { decisionId: await deny(asked, requestId), requestId };
      return environmentOf(permissionRequestWorkflowId(requestId)).run(own.carryOutDecision, input);
    },
    'denied',
  ],
  [
    'what no person decides',
    (_asked, requestId) => {
      const input = { requestId, status: 'expired' as const };
      return environmentOf(permissionRequestWorkflowId(requestId)).run(own.closeRequest, input);
    },
    'expired',
  ],
];

describe('while what is about one workspace waits for its locks', () => {
  it.each(works)('%s of another one is carried out', async (_what, work, becomes) => {
    const waiting = loud.requestIds.map((id) => work(loud, id));
    const held = Promise.allSettled(waiting);
    const [ofQuiet = ''] = quiet.requestIds;
    await work(quiet, ofQuiet);
    expect(await readPermissionRequest(activities.db, ofQuiet)).toMatchObject({ status: becomes });
    const [ofLoud = ''] = loud.requestIds;
    expect(await readPermissionRequest(activities.db, ofLoud)).toMatchObject({ status: 'open' });
    await lock.rollback();
    await held;
  });

  it.each(works)('%s beyond its half of the slots gives its own back at once', async (_what, work) => {
    const waiting = loud.requestIds.map((id) => work(loud, id));
    const held = Promise.allSettled(waiting);
    await expect(Promise.race(waiting)).rejects.toMatchObject({
      ...{ nonRetryable: false, nextRetryDelay: 500 },
      message: expect.stringContaining('of this workspace are being carried out'),
    });
    await lock.rollback();
    await held;
  });
});
