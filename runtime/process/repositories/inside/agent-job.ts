/**
 * In the agent's own sandbox, as the parent of its program: writes the tree out before that starts, and hands
 * over what differs when it has ended, or somebody asks. What it says is worth no more than what the agent
 * says: whatever it sends is the agent's files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants as fileConstants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryDirectory } from '../../../../contract/repository.ts';
import { git, gitVariables } from '../git.ts';
import {
  type ChangeRecord,
  encodeRecord,
  endSocket,
  type JobOrder,
  soFarSocket,
  takerInside,
} from '../job-stream.ts';
import { makeRepository } from './own-repository.ts';
import { mustRunGit } from './run-git.ts';

type AgentOrder = Extract<JobOrder, { type: 'agent' }>;

/** After SIGTERM; what it handed over by then is all there is. */
const programGraceMs = 2000;

/** Ends as the agent's program did. */
export async function runAgent({ command, changesBytes }: AgentOrder): Promise<void> {
  const index = await writeTree().catch((error: unknown) => {
    process.stderr.write(`the files of the repository were not written out: ${String(error)}\n`);
    return null;
  });
  if (index === null) {
    // The session's transcript then says why nothing was done.
    await sayNoTree(socketPathOf(endSocket)).catch(() => undefined);
    process.exit(1);
  }
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', cwd: repositoryDirectory });
  process.on('SIGTERM', () => end(child));
  const answering = answerRequests((socketPath) => handOver({ socketPath, changesBytes, index }));
  const [exitCode, signal] = await once(child, 'exit').catch((error: unknown) => {
    process.stderr.write(`the agent could not be started: ${String(error)}\n`);
    return [127, null];
  });
  answering.end();
  await endWhatIsLeft();
  await handOver({ socketPath: socketPathOf(endSocket), changesBytes, index }).catch(sayNotHandedOver);
  process.removeAllListeners('SIGTERM');
  process.exit(typeof exitCode === 'number' ? exitCode : codeOfSignal(signal));
}

const lastRounds = 50;
const betweenRoundsMs = 10;

/**
 * What the program left has ended with it: it neither reaches a server nor changes a file while the rest is
 * handed over. Below the sandbox's first process one call ends all others at once; below another relay they
 * are ended one by one, which what forks fast enough outlives until the sandbox ends.
 */
async function endWhatIsLeft(): Promise<void> {
  if (process.ppid <= 1) {
    kill(-1);
    return;
  }
  const spared = new Set([1, process.ppid, process.pid]);
  for (let round = 0; round < lastRounds; round += 1) {
    const left = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && !spared.has(pid));
    if (left.length === 0) {
      return;
    }
    left.forEach(kill);
    await sleep(betweenRoundsMs);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // There is none, or none any more.
  }
}

const socketPathOf = (name: string) => join(takerInside, name);

const sayNotHandedOver = (error: unknown): void => {
  process.stderr.write(`what changed in the repository was not handed over: ${String(error)}\n`);
};

/** Somebody waits, and it costs next to nothing: watches are few on a machine, and sessions many. */
const lookEveryMs = 500;

/** The agent may have changed what git was looking at. */
const maxAnswers = 3;

/** A socket that appears asks for what has changed so far; each is answered once, unless that fails. */
function answerRequests(answer: (socketPath: string) => Promise<void>): { end(): void } {
  const path = socketPathOf(soFarSocket);
  let known = '';
  let answersLeft = 0;
  let isBusy = false;
  const looking = setInterval(() => {
    const which = isBusy ? null : whichSocket(path);
    if (which !== null && which !== known) {
      known = which;
      answersLeft = maxAnswers;
    }
    if (which === null || answersLeft === 0) {
      return;
    }
    isBusy = true;
    answersLeft -= 1;
    void answer(path)
      .then(() => {
        answersLeft = 0;
      }, sayNotHandedOver)
      .finally(() => {
        isBusy = false;
      });
  }, lookEveryMs);
  return { end: () => clearInterval(looking) };
}

/** Null where nobody asks. Never throws: that would end the agent. */
function whichSocket(path: string): string | null {
  try {
    const { ino, ctimeMs } = statSync(path);
    return `${ino} ${ctimeMs}`;
  } catch {
    return null;
  }
}

/** As shells have it: the first process of a sandbox does not end by a signal of its own. */
const codeOfSignal = (signal: unknown): number =>
  128 + (Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0);

function end(child: ChildProcess): void {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), programGraceMs).unref();
}

/** What git knows of each file that it wrote; kept in memory, since the agent's may be anything by then. */
interface WrittenIndex {
  bytes: Buffer;
  /** Changes since the same second are looked for in the files themselves. */
  writtenAt: Date;
}

/** With a `.git` of its own, which has one commit, a branch `work`, no remote and no credential. */
async function writeTree(): Promise<WrittenIndex> {
  mkdirSync(repositoryDirectory, { recursive: true });
  const directory = join(repositoryDirectory, '.git');
  const commit = await makeRepository(directory, repositoryDirectory);
  const options = { env: gitVariables, cwd: repositoryDirectory };
  const own = (args: string[]) => mustRunGit(git(args, { directory, tree: repositoryDirectory }), options);
  await own(['update-ref', 'refs/heads/work', commit]);
  await own(['config', 'user.name', 'agent']);
  await own(['config', 'user.email', 'agent@localhost']);
  await own(['reset', '--quiet', '--hard', commit]);
  const index = join(directory, 'index');
  return { bytes: readFileSync(index), writtenAt: statSync(index).mtime };
}

interface HandOver {
  socketPath: string;
  changesBytes: number;
  index: WrittenIndex;
}

/** Asks a repository of its own, not the agent's, which may be anything by now. */
async function handOver({ socketPath, changesBytes, index }: HandOver): Promise<void> {
  const directory = mkdtempSync('/tmp/repository-');
  try {
    const found = await whatDiffers(directory, index);
    await connected(socketPath, (socket) => send(socket, found, changesBytes));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function whatDiffers(directory: string, index: WrittenIndex): Promise<Found[]> {
  const tree = repositoryDirectory;
  await makeRepository(directory);
  // Without it each file would be read, which takes longer than the session's end waits for.
  writeFileSync(join(directory, 'index'), index.bytes);
  utimesSync(join(directory, 'index'), index.writtenAt, index.writtenAt);
  const options = { env: gitVariables, cwd: tree };
  const ask = async (args: string[]) =>
    String((await mustRunGit(git(args, { directory, tree }), options)).toString('latin1'))
      .split('\0')
      .filter((path) => path !== '' && !path.endsWith('/'));
  const changed = await ask(['ls-files', '-z', '--modified', '--deleted']);
  const added = await ask(['ls-files', '-z', '--others', '--exclude-standard']);
  const submodules = new Set(submodulesOf(await ask(['ls-files', '-z', '--stage'])));
  return (
    [...new Set([...changed, ...added])]
      .map((path) => ({ path, status: statusOf(path) }))
      // Nothing of one was written out, so that nothing of it can be gone.
      .filter(({ path, status }) => !submodules.has(path) || status?.isFile() || status?.isSymbolicLink())
  );
}

const sayNoTree = (socketPath: string) =>
  connected(socketPath, (socket) => write(socket, encodeRecord({ type: 'no_tree' })));

/** Resolves once the other side has taken what `work` sent. */
async function connected(socketPath: string, work: (socket: Socket) => Promise<void>): Promise<void> {
  const socket = connect(socketPath);
  const closed = once(socket, 'close');
  // It fails along with the connection, while nothing waits for it.
  closed.catch(() => undefined);
  try {
    await once(socket, 'connect');
    socket.resume();
    await work(socket);
    socket.end();
    await closed;
  } finally {
    socket.destroy();
  }
}

/** Of lines as `160000 <id> 0<tab><path>`. */
const submodulesOf = (staged: readonly string[]): string[] =>
  staged.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1));

interface Found {
  path: string;
  /** Null where nothing is. */
  status: Stats | null;
}

const bytesOf = (path: string) => Buffer.from(`${repositoryDirectory}/${path}`, 'latin1');

function statusOf(path: string): Stats | null {
  try {
    return lstatSync(bytesOf(path));
  } catch {
    return null;
  }
}

async function send(socket: Socket, found: readonly Found[], maxBytes: number): Promise<void> {
  const files = found.filter(({ status }) => status?.isFile());
  const links = found.filter(({ status }) => status?.isSymbolicLink());
  // What is no file of a repository, such as a pipe, counts as nothing.
  for (const { path } of found.filter(({ status }) => !status?.isFile() && !status?.isSymbolicLink())) {
    await write(socket, encodeRecord({ type: 'gone', path }));
  }
  let leftBytes = maxBytes;
  for (const { path } of files) {
    const file = contentOf(path, leftBytes);
    if (file === 'too_large') {
      return write(socket, encodeRecord({ type: 'too_large' }));
    }
    if (file === null) {
      await write(socket, encodeRecord({ type: 'gone', path }));
      continue;
    }
    leftBytes -= file.content.length;
    const { content, isExecutable } = file;
    const record: ChangeRecord = { type: 'file', path, sizeBytes: content.length, isExecutable };
    await write(socket, Buffer.concat([encodeRecord(record), content]));
  }
  for (const { path } of links) {
    const target = targetOf(path);
    await write(
      socket,
      encodeRecord(target === null ? { type: 'gone', path } : { type: 'link', path, target }),
    );
  }
  await write(socket, encodeRecord({ type: 'end' }));
}

/** Null where there is none any more. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(bytesOf(path), { encoding: 'latin1' });
  } catch {
    return null;
  }
}

interface Content {
  content: Buffer;
  isExecutable: boolean;
}

/** Null for what is no file any more: the agent, or a process that it left, may change it at any time. */
function contentOf(path: string, maxBytes: number): Content | 'too_large' | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fileConstants;
  let descriptor: number;
  try {
    descriptor = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) {
      return null;
    }
    if (status.size > maxBytes) {
      return 'too_large';
    }
    const content = readFileSync(descriptor);
    return content.length > maxBytes ? 'too_large' : { content, isExecutable: (status.mode & 0o100) !== 0 };
  } finally {
    closeSync(descriptor);
  }
}

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed) {
    throw new Error('the connection ended');
  }
  if (!socket.write(bytes)) {
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
}
