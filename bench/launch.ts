/**
 * `npm run bench`: what a session's launch costs beside starting the same programs bare, and the memory of a
 * session, all of one run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openBare } from './launch/bare.ts';
import { launch } from './launch/launch-target.ts';
import { openPlatform } from './launch/on-the-platform.ts';
import { readOptions } from './launch/options.ts';
import { aimsOf, type Pairs, type Results, reportOf } from './launch/report.ts';
import { measureSessionMemory } from './launch/session-memory.ts';
import { conclude } from './shared/harness.ts';

const pairWarmUps = 3;
const roundWarmUps = 1;
/** Longer than a worker takes until the host of the next session waits: it is part of no figure. */
const settleMs = 2500;

const { pairs, atOnce, rounds, memory, json, check } = readOptions(process.argv.slice(2));
const progress = (text: string) => console.error(`  ${text}`);
const platform = await openPlatform();
const bare = await openBare();

/** In turns: other load on the machine affects both. */
async function measureInTurns(
  count: number,
  { turns, warmUps }: { turns: number; warmUps: number },
): Promise<Pairs> {
  const took: Pairs = { platform: [], bare: [] };
  for (let turn = turns === 0 ? 0 : -warmUps; turn < turns; turn += 1) {
    await sleep(settleMs);
    const ofPlatform = await launch(platform, count);
    await sleep(settleMs);
    const pair = { platform: ofPlatform, bare: await launch(bare, count) };
    if (turn >= 0) {
      took.platform.push(pair.platform);
      took.bare.push(pair.bare);
    }
  }
  return took;
}

async function measure(): Promise<Results> {
  progress(`${pairs} pairs`);
  const ofPairs = await measureInTurns(1, { turns: pairs, warmUps: pairWarmUps });
  if (memory) {
    progress('memory of a session');
  }
  const ofMemory = memory ? await measureSessionMemory(platform.client) : null;
  const turns = atOnce === 0 ? 0 : rounds;
  progress(`${turns} times ${atOnce} at once`);
  const ofRounds = await measureInTurns(atOnce, { turns, warmUps: roundWarmUps });
  return { pairs: ofPairs, memory: ofMemory, atOnce: { count: atOnce, rounds: ofRounds } };
}

let results: Results;
try {
  results = await measure();
} finally {
  await bare.close();
  await platform.close();
}
console.log(reportOf(results));
const aims = aimsOf(results);
process.exit(conclude({ json, check }, { figures: { ...results, aims }, aims }));
