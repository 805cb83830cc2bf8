/** Format, lint and types: what runs beside the tests, at a lower priority. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineCache } from '../setup/machine-cache.mjs';
import { writeWhole } from '../setup/write-whole.mjs';
import { runCaptured } from './child.mjs';

/**
 * Starts all of them. Each prints what it found once it ends. Returns for each a
 * promise of whether it passed.
 */
export function startChecks(root, environment) {
  const cacheRoot = machineCache(environment);
  return [
    check(root, 'Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
    checkTypes(root, cacheRoot, 'Type check', '.'),
    checkTypes(root, cacheRoot, 'Type check of the web UI', 'web'),
  ];
}

async function check(root, name, args) {
  const { code, output } = await runCaptured(args, root, { nice: 10 });
  console.log(`${code === 0 ? 'PASS' : 'FAIL'} ${name}`);
  if (code !== 0) {
    console.log(output);
  }
  return code === 0;
}

/**
 * TypeScript 7 is native and three times as fast as 6, which stays for what needs its API;
 * test/architecture/both-compilers compares them.
 */
const compiler = 'node_modules/typescript-7';

/** The compiler skips files whose content it found correct before, also in another clone of this machine. */
async function checkTypes(root, cacheRoot, name, project) {
  const { version } = JSON.parse(readFileSync(join(root, compiler, 'package.json'), 'utf8'));
  const file = `types-${project === '.' ? 'platform' : project}-${version}.json`;
  const known = join(root, '.cache', file);
  const shared = join(cacheRoot, file);
  if (!existsSync(known) && existsSync(shared)) {
    writeWhole(known, readFileSync(shared));
  }
  const passed = await check(root, name, [
    `${compiler}/bin/tsc`,
    ...['-p', project, '--incremental', '--tsBuildInfoFile', known],
  ]);
  if (passed) {
    mkdirSync(cacheRoot, { recursive: true });
    writeWhole(shared, readFileSync(known));
  }
  return passed;
}
