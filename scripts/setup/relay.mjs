/**
 * The static relay (relay/static/), built where a C compiler is. Without it sessions use the one for Node,
 * and the tests that need it are left out.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './progress.mjs';
import { run } from './run.mjs';

/** Leaves dist/relay, made from the sources as they are, or nothing where it cannot be built. */
export async function provideRelay(root, environment, { forTests }) {
  const directory = join(root, 'dist');
  const program = join(directory, 'relay');
  const builtFrom = join(directory, 'relay.sha256');
  const sources = hashOf(join(root, 'relay/static'));
  if (existsSync(program) && existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === sources) {
    return undefined;
  }
  rmSync(program, { force: true });
  const problem = await build(root, directory, program, environment);
  if (problem === null) {
    writeFileSync(builtFrom, sources);
    return 'built';
  }
  if (!forTests) {
    return `not built (${problem.split('\n').at(-1)}): sessions use the one for Node, which takes more memory`;
  }
  if (environment.CI) {
    throw new SetupError(`The static relay: ${problem}\nCI leaves no test out.`);
  }
  return `left out (${problem.split('\n').at(-1)}). The tests that need it are left out`;
}

/** Null, or why it cannot be built. */
async function build(root, directory, program, environment) {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    return 'it is a program for Linux on x86-64 and arm64';
  }
  mkdirSync(directory, { recursive: true });
  return run('sh', [join(root, 'relay/static/build.sh'), program], { env: environment }).then(
    () => null,
    (error) => error.message,
  );
}

function hashOf(directory) {
  const hash = createHash('sha256').update(process.arch);
  for (const name of readdirSync(directory).toSorted()) {
    hash.update(name).update(readFileSync(join(directory, name)));
  }
  return hash.digest('hex');
}
