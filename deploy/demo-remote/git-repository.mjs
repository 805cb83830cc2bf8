/**
 * A bare repository, and commits that a patch makes on it. Git works on its own objects alone: there is no
 * working tree, so that no path, link, attribute, filter or hook of a patch touches this machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const limitMs = 10_000;
const outputBytes = 1024 * 1024;
const mostBranches = 200;
export const mainBranch = 'main';

const settings = ['core.hooksPath=/dev/null', 'core.attributesFile=/dev/null', 'core.fsmonitor=false']
  .concat(['core.protectHFS=true', 'core.protectNTFS=true', 'gc.auto=0', 'core.logAllRefUpdates=false'])
  .flatMap((setting) => ['-c', setting]);

const variables = {
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'An agent of the demo',
  GIT_AUTHOR_EMAIL: 'agent@demo.test',
  GIT_COMMITTER_NAME: 'The demo',
  GIT_COMMITTER_EMAIL: 'demo@demo.test',
};

/** A push that is refused, as a sentence for whoever asked. */
export class RefusedPushError extends Error {}

/** Makes it at the first start, with one commit. One push at a time. */
export function openRepository(directory) {
  const git = (args, options) => runGit(['--git-dir', directory, ...args], options);
  const made = make(directory);
  // One that failed is told to whoever asks, each time.
  let before = made.catch(() => undefined);
  const inTurn = (work) => {
    const mine = before.then(() => made).then(work);
    before = mine.catch(() => undefined);
    return mine;
  };
  return {
    directory,
    branches: () => inTurn(() => branchesOf(git)),
    /** Returns the commit. Throws RefusedPushError. */
    push: (change) => inTurn(() => push(git, directory, change)),
  };
}

/** Whole or not at all, however it ends: what a killed one left behind is removed at the next start. */
async function make(directory) {
  const begun = `${directory}.new`;
  rmSync(begun, { recursive: true, force: true });
  if (existsSync(directory)) {
    removeLeftovers(directory);
    return;
  }
  mkdirSync(begun, { recursive: true, mode: 0o700 });
  const git = (args, options) => runGit(['--git-dir', begun, ...args], options);
  await git(['init', '--quiet', '--bare', '--template=', `--initial-branch=${mainBranch}`]);
  const blob = await git(['hash-object', '-w', '--stdin'], { input: 'The repository of the demo.\n' });
  const tree = await git(['mktree'], { input: `100644 blob ${blob}\treadme.md\n` });
  const commit = await git(['commit-tree', tree, '-F', '-'], { input: 'Begin\n' });
  await git(['update-ref', `refs/heads/${mainBranch}`, commit]);
  renameSync(begun, directory);
}

/** Of a push that was killed: its index, and locks that would refuse every later one. */
function removeLeftovers(directory) {
  for (const name of readdirSync(directory).filter((each) => each.startsWith('push-'))) {
    rmSync(join(directory, name), { recursive: true, force: true });
  }
  const heads = join(directory, 'refs/heads');
  for (const name of readdirSync(heads).filter((each) => each.endsWith('.lock'))) {
    rmSync(join(heads, name), { force: true });
  }
}

async function branchesOf(git) {
  const listed = await git(['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads']);
  const entries = listed.split('\n').filter((line) => line !== '');
  return entries.map((line) => line.split(' ')).map(([name, commit]) => ({ name, commit }));
}

/** What the arguments say is all that the commit depends on: whoever approves them knows what is pushed. */
async function push(git, directory, { branch, onto, message, patch }) {
  // A line of git ends with \\n alone.
  if (/(?:^|\n)(?:GIT binary patch|Binary files )/.test(patch)) {
    throw new RefusedPushError('The patch has binary files; text alone is taken');
  }
  const branches = await branchesOf(git);
  const known = branches.find(({ name }) => name === branch);
  if (known !== undefined && known.commit !== onto) {
    throw new RefusedPushError(`The branch ${branch} is at ${known.commit}, and not at ${onto}`);
  }
  if (known === undefined && branches.length >= mostBranches) {
    throw new RefusedPushError('The repository has too many branches');
  }
  if (!branches.some(({ commit }) => commit === onto)) {
    throw new RefusedPushError(`No branch is at ${onto}`);
  }
  const place = mkdtempSync(join(directory, 'push-'));
  try {
    const index = { GIT_INDEX_FILE: join(place, 'index') };
    await git(['read-tree', onto], { env: index });
    await git(['apply', '--cached', '--whitespace=nowarn', '-'], { env: index, input: patch }).catch(() => {
      throw new RefusedPushError('The patch does not apply, or has paths that are not allowed');
    });
    const changed = await git(['diff-index', '--cached', '--raw', '-z', '--no-renames', onto], {
      env: index,
    });
    if (changed === '') {
      throw new RefusedPushError('The patch changes nothing');
    }
    if (/:\d{6} (?:120000|160000) /.test(changed)) {
      throw new RefusedPushError('The patch has links or submodules; files alone are taken');
    }
    const tree = await git(['write-tree'], { env: index });
    const commit = await git(['commit-tree', tree, '-p', onto, '-F', '-'], {
      input: message,
      env: await datesOf(git, onto),
    });
    await git(['update-ref', `refs/heads/${branch}`, commit, known?.commit ?? '0'.repeat(40)]);
    return commit;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Those of the commit that it follows: with those of now, the same arguments would make another commit. */
async function datesOf(git, onto) {
  const date = `@${await git(['show', '-s', '--format=%ct', onto])} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

/** What it wrote, without the last line's end. Throws when it fails, takes too long or writes too much. */
async function runGit(args, { input = '', env = {} } = {}) {
  const child = spawn('git', [...settings, ...args], {
    env: { ...variables, ...env },
    // Git reads attributes of the directory that it works in.
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const pieces = [];
  let sizeBytes = 0;
  child.stdout.on('data', (piece) => {
    sizeBytes += piece.length;
    if (sizeBytes > outputBytes) {
      child.kill('SIGKILL');
    } else {
      pieces.push(piece);
    }
  });
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) {
    throw new Error(`git ${args[2]} failed`);
  }
  return Buffer.concat(pieces).toString('utf8').replace(/\n$/, '');
}
