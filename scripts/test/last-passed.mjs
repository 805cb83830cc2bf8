/** When the commands that CI leaves to people last passed on this machine. */
import { run } from '../setup/run.mjs';
import { readNote, writeNote } from './machine-notes.mjs';

const mostCommits = 30;
const mostDays = 7;
const dayMs = 24 * 60 * 60 * 1000;
/** By the names of their notes. */
const commands = { 'long-mode': 'npm run test:all', agents: 'npm run test:agents' };

/** Notes that it passed, where it tried what is committed. */
export async function notePassed(root, environment, name) {
  if ((await run('git', ['status', '--porcelain'], { cwd: root })) === '') {
    const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: root })).trim();
    writeNote(environment, name, { commit, at: new Date().toISOString() });
  }
}

/** A sentence for each: on which commit it passed, and a warning where that is long ago. */
export async function describeLastPassed(root, environment) {
  const sentences = Object.entries(commands).map(([name, command]) =>
    describe(root, readNote(environment, name), command),
  );
  return (await Promise.all(sentences)).join('\n');
}

async function describe(root, note, command) {
  if (note === null) {
    return `Warning: ${command} has not passed on this machine.`;
  }
  const { commit, at } = note;
  const days = (Date.now() - Date.parse(at)) / dayMs;
  const commits = await commitsSince(root, commit);
  const isOld = commits === null || commits > mostCommits || days > mostDays;
  return `${isOld ? 'Warning: ' : ''}${command} last passed on ${commit.slice(0, 12)}, ${commits ?? 'an unknown number of'} commits and ${Math.floor(days)} days ago.`;
}

async function commitsSince(root, commit) {
  return await run('git', ['rev-list', '--count', `${commit}..HEAD`], { cwd: root }).then(Number, () => null);
}
