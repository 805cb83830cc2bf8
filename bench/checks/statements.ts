/**
 * Hot statements through the store, beside the same ones straight on the driver's pool: how
 * much of its speed is left.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { maxChecks } from '../../contract/sidecar.ts';
import {
  checkAndConsume,
  checkAndConsumeStatement,
  checkValues,
} from '../../store/grants/check-and-consume.ts';
import { checkStanding, checkStandingStatement, standingValues } from '../../store/grants/check-standing.ts';
import { gatedTool } from '../gate/sidecar.ts';
import { median, type Ratio, ratioOf } from '../shared/harness.ts';
import type { BenchDatabase } from './database.ts';

export interface StatementResult {
  statement: string;
  /** Statements a second. */
  raw: number;
  store: number;
  ratio: Ratio;
}

const inFlight = 16;
const turns = 24;

export async function measureStatements(
  { db, url, sessionId }: BenchDatabase,
  turnMs: number,
): Promise<StatementResult[]> {
  const pool = new pg.Pool({ connectionString: url, max: inFlight });
  const { server, tool } = gatedTool;
  const call = () => ({ callId: randomUUID(), server, tool });
  const batch = () => Array.from({ length: maxChecks }, call);
  const compared = {
    'check of one call': [
      () => {
        const values = checkValues({ ...call(), sessionId, digest: null });
        return pool.query({ name: 'check', text: checkAndConsumeStatement, values });
      },
      () => checkAndConsume(db, { ...call(), sessionId, digest: null }),
    ],
    [`check of ${maxChecks} calls`]: [
      () => {
        const values = standingValues(sessionId, batch());
        return pool.query({ name: 'batch', text: checkStandingStatement, values });
      },
      () => checkStanding(db, sessionId, batch()),
    ],
  } satisfies Record<string, [raw: () => Promise<unknown>, store: () => Promise<unknown>]>;
  const results: StatementResult[] = [];
  for (const [statement, [raw, store]] of Object.entries(compared)) {
    const rates: { raw: number; store: number }[] = [];
    await perSecond(raw, turnMs);
    await perSecond(store, turnMs);
    for (let turn = 0; turn < turns; turn += 1) {
      // Whoever is second finds larger tables and more to write back.
      const [first, second] = turn % 2 === 0 ? [raw, store] : [store, raw];
      const [one, other] = [await perSecond(first, turnMs), await perSecond(second, turnMs)];
      rates.push(turn % 2 === 0 ? { raw: one, store: other } : { raw: other, store: one });
    }
    results.push({
      statement,
      raw: median(rates.map((rate) => rate.raw)),
      store: median(rates.map((rate) => rate.store)),
      ratio: ratioOf(
        rates.map((rate) => rate.store),
        rates.map((rate) => rate.raw),
      ),
    });
  }
  await pool.end();
  return results;
}

async function perSecond(work: () => Promise<unknown>, forMs: number): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  const workInTurn = async () => {
    for (; performance.now() - startedMs < forMs; done += 1) {
      await work();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, workInTurn));
  return (done / (performance.now() - startedMs)) * 1000;
}
