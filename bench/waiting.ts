/**
 * `npm run bench:waiting`: what a session costs that only waits, and whether that stays
 * the same with many of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { conclude, machineLine } from './shared/harness.ts';
import { readOptions } from './waiting/options.ts';
import { openWaitingPlatform, type Usage, type WaitingPlatform } from './waiting/platform.ts';

const aimMsPerSecond = 0.1;
/** What starting the sessions leaves to do, such as Temporal's own tasks, is over after that. */
const settleMs = 30_000;

interface Row {
  sessions: number;
  /** Processor time a second, in milliseconds. */
  taken: Usage;
  rssMiB: number;
}

const { sessions, seconds, json, check } = readOptions(process.argv.slice(2));
const platform = await openWaitingPlatform();
const rows: Row[] = [];
try {
  for (const count of [0, ...sessions.toSorted((a, b) => a - b)]) {
    console.error(`  ${count} sessions`);
    await platform.waitWith(count);
    rows.push(await measure(platform, count));
  }
} finally {
  await platform.close();
}

async function measure({ usage }: WaitingPlatform, count: number): Promise<Row> {
  await sleep(settleMs);
  const [before, startedMs] = [usage(), performance.now()];
  await sleep(seconds * 1000);
  const [after, tookSeconds] = [usage(), (performance.now() - startedMs) / 1000];
  const taken = (part: keyof Usage) => (after[part] - before[part]) / tookSeconds;
  return {
    sessions: count,
    taken: { platform: taken('platform'), temporal: taken('temporal'), postgres: taken('postgres') },
    rssMiB: process.memoryUsage().rss / 1024 / 1024,
  };
}

const total = ({ taken }: Row) => taken.platform + taken.temporal + taken.postgres;
const [idle, ...waiting] = rows;
const idleMs = idle === undefined ? 0 : total(idle);
const results = waiting.map((row) => {
  const perSession = (total(row) - idleMs) / row.sessions;
  return { ...row, perSession, isMet: perSession <= aimMsPerSecond };
});

const cell = (value: number, digits = 1) => value.toFixed(digits).padStart(12);
const line = (name: string, { taken, rssMiB }: Row, rest: string) =>
  `${name.padStart(8)}${cell(taken.platform)}${cell(taken.temporal)}${cell(taken.postgres)}${cell(rssMiB, 0)}${rest}`;
console.log(`processor time of sessions that only wait, in milliseconds a second

${'sessions'}${['API+worker', 'Temporal', 'Postgres', 'RSS, MiB', 'a session', 'aim'].map((name) => name.padStart(12)).join('')}
${idle === undefined ? '' : line('0', idle, '')}
${results
  .map((row) =>
    line(
      String(row.sessions),
      row,
      `${cell(row.perSession, 4)}${`<= ${aimMsPerSecond}`.padStart(12)}  ${row.isMet ? 'met' : 'MISSED'}`,
    ),
  )
  .join('\n')}

RSS is that of API, worker and this program in one process. ${machineLine()}, ${seconds} s each`);
process.exit(
  conclude({ json, check }, { figures: { seconds, aimMsPerSecond, idle, results }, aims: results }),
);
