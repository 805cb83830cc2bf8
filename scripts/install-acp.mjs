/**
 * Installs an agent that the agent `acp` can start, for sessions that run as processes of this machine.
 * Some have a licence of their own, so nothing installs one unasked
 * (docs/bring-your-own-agent.md#an-agent-that-speaks-acp). Does nothing when it is there.
 */
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './setup/dependencies.mjs';

const packages = fileURLToPath(new URL('../agents/acp/packages', import.meta.url));
const known = readdirSync(packages);

/**
 * Of packages whose install script, which is not run, puts their program in place: it comes in a package for
 * each platform. The baseline runs on every x64 processor.
 */
const programs = { opencode: 'opencode-linux-x64-baseline/bin/opencode' };

/** Returns whether the program is there for this machine. */
function linkProgram(name) {
  const program = programs[name];
  if (program === undefined) {
    return true;
  }
  const modules = join(packages, name, 'node_modules');
  if (!existsSync(join(modules, program))) {
    return false;
  }
  const link = join(modules, '.bin', name);
  chmodSync(join(modules, program), 0o755);
  rmSync(link, { force: true });
  symlinkSync(join('..', program), link);
  return true;
}

const [name] = process.argv.slice(2);
if (name !== undefined && known.includes(name)) {
  const done = await installDependencies(join(packages, name));
  if (linkProgram(name)) {
    console.log(
      done === undefined ? 'It is installed.' : 'Installed. Sessions that start from now on have it.',
    );
  } else {
    console.error(`${name} can be installed on Linux on x64 alone.`);
    process.exitCode = 1;
  }
} else {
  console.error(`Usage: npm run acp:install -- ${known.join('|')}`);
  process.exitCode = 2;
}
