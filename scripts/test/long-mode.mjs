/** When the long mode last passed on this machine. */
import { run } from '../setup/run.mjs';
import { readNote, writeNote } from './machine-notes.mjs';

const mostCommits = 30;
const mostDays = 7;
const dayMs = 24 * 60 * 60 * 1000;
const noteName = 'long-mode';

/** Notes that it passed, where it tried what is committed. */
export async function noteLongMode(root, environment) {
  if ((await run('git', ['status', '--porcelain'], { cwd: root })) === '') {
    const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: root })).trim();
    writeNote(environment, noteName, { commit, at: new Date().toISOString() });
  }
}

/** A sentence: on which commit it passed, and a warning where that is long ago. */
export async function describeLongMode(root, environment) {
  const note = readNote(environment, noteName);
  if (note === null) {
    return 'Warning: npm run test:all has not passed on this machine.';
  }
  const { commit, at } = note;
  const days = (Date.now() - Date.parse(at)) / dayMs;
  const commits = await commitsSince(root, commit);
  const isOld = commits === null || commits > mostCommits || days > mostDays;
  return `${isOld ? 'Warning: ' : ''}npm run test:all last passed on ${commit.slice(0, 12)}, ${commits ?? 'an unknown number of'} commits and ${Math.floor(days)} days ago.`;
}

async function commitsSince(root, commit) {
  return await run('git', ['rev-list', '--count', `${commit}..HEAD`], { cwd: root }).then(Number, () => null);
}
