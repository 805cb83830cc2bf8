/** When the long mode last passed on this machine. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { machineCache } from '../setup/machine-cache.mjs';
import { writeWhole } from '../setup/write-whole.mjs';
import { runGit } from './git.mjs';

const mostCommits = 30;
const mostDays = 7;
const dayMs = 24 * 60 * 60 * 1000;
const fileOf = (environment) => machineCache(environment, 'long-mode.json');

/** Notes that it passed, where it tried what is committed. */
export async function noteLongMode(root, environment) {
  if ((await runGit(root, ['status', '--porcelain'])) === '') {
    const commit = (await runGit(root, ['rev-parse', 'HEAD'])).trim();
    const file = fileOf(environment);
    mkdirSync(dirname(file), { recursive: true });
    writeWhole(file, JSON.stringify({ commit, at: new Date().toISOString() }));
  }
}

/** A sentence: on which commit it passed, and a warning where that is long ago. */
export async function describeLongMode(root, environment) {
  const file = fileOf(environment);
  if (!existsSync(file)) {
    return 'Warning: npm run test:all has not passed on this machine.';
  }
  const { commit, at } = JSON.parse(readFileSync(file, 'utf8'));
  const days = (Date.now() - Date.parse(at)) / dayMs;
  const commits = await commitsSince(root, commit);
  const isOld = commits === null || commits > mostCommits || days > mostDays;
  return `${isOld ? 'Warning: ' : ''}npm run test:all last passed on ${commit.slice(0, 12)}, ${commits ?? 'an unknown number of'} commits and ${Math.floor(days)} days ago.`;
}

async function commitsSince(root, commit) {
  return await runGit(root, ['rev-list', '--count', `${commit}..HEAD`]).then(Number, () => null);
}
