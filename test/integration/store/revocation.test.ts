/**
 * After a revoke has answered, no call passes on that grant, and no two calls pass on one `once` grant:
 * shown on a recorded history of grants, revokes and calls that overlap on many connections.
 * `HISTORY_OPERATIONS` makes it longer (`npm run test:history`), `HISTORY_SEED` repeats the choices of a run
 * (not how they overlapped).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { checkCalls } from '../../../api/internal/check-call.ts';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { writeGrant } from '../../../commands/grants/write.ts';
import type { Session } from '../../../contract/session.ts';
import { inTransaction, openDatabase } from '../../../store/database.ts';
import { checkTogether, grantOf } from '../../support/checks-together.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { permissionsOf, playOnGrants, type Stage } from '../../support/grant-play.ts';
import { callKeys, freezeGates, grantFor, passOn, untilOver } from '../../support/granted.ts';
import { volume } from '../../support/mode.ts';
import { announcedSeed, seededRandom } from '../../support/seeded-random.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

const seed = announcedSeed('histories of grants', 'HISTORY_SEED');
const operations = volume({ quick: 2000, full: 3000, long: 40_000 }, 'HISTORY_OPERATIONS');
const togetherOperations = Math.ceil(operations / 2);
const connections = 24;
const system = { type: 'system', id: null } as const;
const wrong = ['hasty', 'cached', 'early', 'forgetful', 'strict', 'loose', 'lasting'] as const;
/**
 * A wrong boundary is played against again and again until it is found, mostly at once: how
 * operations overlap is chance.
 */
const wrongPlays = (name: (typeof wrong)[number]) => [...'abcdefghijkl'].map((letter) => name + letter);
const wrongOperations = 500;
const groupCount = Math.ceil((operations + togetherOperations) / 1000);
/** The sessions of a group gate a tool on each, of that name: those that the plays ask them about. */
const permissionsOfGroup = (group: number) =>
  [
    permissionsOf('first', 1000),
    permissionsOf('true', operations),
    permissionsOf('together', togetherOperations),
    ...wrong.flatMap(wrongPlays).map((name) => permissionsOf(name, wrongOperations)),
  ].flatMap((rounds) => rounds.filter((_, round) => round % groupCount === group).flat());

let database: TestDatabase;
let db: Knex;
let groups: Session[][];
let byId: Map<string, Session>;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, { poolSize: connections });
  const tenant = await createTenant(db, testMasterKeys());
  groups = [];
  for (let group = 0; group < groupCount; group += 1) {
    const agent = await tenant.agent();
    const tool_scopes = Object.fromEntries(permissionsOfGroup(group).map((name) => [name, name]));
    const session = async () => freezeGates(db, await tenant.session(agent), agent, { tool_scopes });
    groups.push([await session(), await session()]);
  }
  byId = new Map(groups.flat().map((session) => [session.id, session]));
  await play('first', boundary(), 1000);
  // Autovacuum would do this after a minute: without statistics the check's plan is several times slower.
  await db.raw('analyze');
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** The store's own functions. A wrong boundary replaces one of them. */
const boundary = (): Stage => ({
  groups: groups.map((sessions) => sessions.map(({ id }) => id)),
  grant: ({ id, scope, permission, sessionId, holder, expiresAt }) =>
    inTransaction(db, (trx) => {
      const content = {
        id,
        scope,
        details: { scope: permission },
        session_id: sessionId,
        expires_at: expiresAt,
      };
      return writeGrant(trx, grantFor(byId.get(holder) as Session, content));
    }),
  revoke: (id) => revokeGrant(db, id, system),
  check: ({ permission: tool, ...call }, { unforwarded }) =>
    passOn(db, { ...call, server: 'files', tool, digest: null, unforwarded }),
  isOver: (at) => untilOver(db, at),
});

const play = (name: string, stage: Stage, limit: number) =>
  playOnGrants(stage, { operations: limit, workers: connections, random: seededRandom(seed), name });

describe('concurrent grants, revocations and calls', () => {
  it('leave a linearizable history', async () => {
    const history = await play('true', boundary(), operations);
    expect(history.violations()).toEqual([]);
    expect(history.operations).toBeGreaterThanOrEqual(operations);
    const { passed, refused, revoked, tooLate, ended } = history.counts();
    process.stdout.write(
      `${history.operations} operations: ${passed} calls passed, ${refused} were refused, ${revoked} grants were revoked, ${tooLate} revokes came too late\n`,
    );
    for (const count of [passed, refused, tooLate]) {
      expect(count).toBeGreaterThan(operations / 200);
    }
    expect(revoked).toBeGreaterThan(operations / 500);
    expect(ended).toBeGreaterThan(operations / 1000);
  }, 900_000);

  it('leave one when calls are checked together, too', async () => {
    const checks = checkTogether(async (sessionId, asked) => {
      const sidecar = { sessionId, requireOpen: () => Promise.resolve() };
      const log = pino({ level: 'silent' });
      const { answers } = await checkCalls({ db, log, ...callKeys }, sidecar, asked);
      return new Map(answers.map(({ call_id, answer }) => [call_id, answer]));
    });
    const check: Stage['check'] = async ({ permission: tool, callId, sessionId }, { unforwarded }) =>
      grantOf(
        await checks(sessionId, {
          ...{ call_id: callId, server: 'files', tool },
          ...(unforwarded ? { unforwarded } : {}),
        }),
      );
    const history = await play('together', { ...boundary(), check }, togetherOperations);
    expect(history.violations()).toEqual([]);
    const { passed, refused, revoked } = history.counts();
    for (const count of [passed, refused, revoked]) {
      expect(count).toBeGreaterThan(togetherOperations / 1000);
    }
  }, 900_000);

  it('use no once grant twice, according to the database', async () => {
    const twice = await db('grant_uses as u')
      .join('grants as g', 'g.id', 'u.grant_id')
      .where('g.scope', 'once')
      .groupBy('u.grant_id')
      .havingRaw('count(*) > 1')
      .select('u.grant_id');
    expect(twice).toEqual([]);
  });
});

describe('the history reveals', () => {
  const found = async (wrongName: (typeof wrong)[number], changes: Partial<Stage>) => {
    const random = seededRandom(seed);
    const stage = { ...boundary(), ...changes };
    for (const name of wrongPlays(wrongName)) {
      const played = { operations: wrongOperations, workers: connections, random, name };
      const violations = (await playOnGrants(stage, played)).violations();
      if (violations.length > 0) {
        return violations;
      }
    }
    return [];
  };

  it('a check that reads first and consumes later', async () => {
    const check: Stage['check'] = async ({ permission }) => {
      const seen = await db('grants')
        .where({ scope: 'once', details: JSON.stringify({ scope: permission }) })
        .whereNull('revoked_at')
        .whereNull('consumed_at')
        .first<{ id: string } | undefined>('id');
      if (seen !== undefined) {
        await db('grants')
          .where({ id: seen.id })
          .whereNull('consumed_at')
          .update({ consumed_at: db.fn.now() });
      }
      return seen === undefined ? null : { grantId: seen.id };
    };
    expect(await found('hasty', { check })).not.toEqual([]);
  });

  it('an answer that is cached for later calls', async () => {
    const kept = new Map<string, { grantId: string }>();
    const check: Stage['check'] = async (call, options) => {
      const key = `${call.sessionId} ${call.permission}`;
      const known = kept.get(key);
      const answer = known ?? (await boundary().check(call, options));
      const lasting = answer && (await db('grants').where({ id: answer.grantId }).first('scope'));
      if (answer && lasting?.scope === 'persistent') {
        kept.set(key, answer);
      }
      return answer;
    };
    expect(await found('cached', { check })).not.toEqual([]);
  });

  it('a revocation that is acknowledged before it is done', async () => {
    const revoke: Stage['revoke'] = async (id) => {
      const active = await db('grants').where({ id }).whereNull('revoked_at').whereNull('consumed_at');
      setTimeout(() => void revokeGrant(db, id, system), 5);
      return active.length > 0;
    };
    expect(await found('early', { revoke })).not.toEqual([]);
  });

  it('a repeated call that consumes a second grant', async () => {
    const check: Stage['check'] = (call, options) =>
      boundary().check({ ...call, callId: randomUUID() }, options);
    expect(await found('forgetful', { check })).not.toEqual([]);
  });

  it('a call that is refused although its grant is in force', async () => {
    const random = seededRandom(seed);
    const check: Stage['check'] = async (call, options) =>
      random.chance(5) ? null : boundary().check(call, options);
    expect(await found('strict', { check })).not.toEqual([]);
  });

  it('a call that passes on the grant of another session', async () => {
    const check: Stage['check'] = (call, options) => {
      const sessions = groups.find((group) => group.some(({ id }) => id === call.sessionId)) ?? [];
      return boundary().check({ ...call, sessionId: sessions[0]?.id ?? call.sessionId }, options);
    };
    expect(await found('loose', { check })).not.toEqual([]);
  });

  it('a grant that lasts longer than its time', async () => {
    const grant: Stage['grant'] = (given) => boundary().grant({ ...given, expiresAt: null });
    expect(await found('lasting', { grant })).not.toEqual([]);
  });
});
