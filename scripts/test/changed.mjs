/** The test files that a change can affect: `npm test -- --changed`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { selections } from '../../test/plan.mjs';
import { testFiles } from '../../test/tiers.mjs';
import { run } from '../setup/run.mjs';
import { importsOf } from './imports.mjs';

/** What no import names: it takes part in every test. */
const everywhere =
  /^(package(-lock)?\.json|jest\.config\.js|tsconfig\.json|test\/(runner|plan|tiers|run-alone)\b.*)$/;
/** The rules of the code base, and recorded workflows. */
const always = /^test\/(architecture|replay)\//;
/** Imported by tests that start the product as it was built, from all of its sources. */
const startsProduct = 'test/support/platform.ts';
const ofProduct =
  /^(activities|agents|api|bin|commands|config|contract|lib|migrations|relay|runtime|sidecar|store|web|workflows)\//;

/** Paths from the project's root, for what differs from `commit`; files that git does not know yet count. */
export async function affectedFiles(root, commit) {
  const changed = [
    ...lines(await run('git', ['diff', '--name-only', commit, '--'], { cwd: root })),
    ...lines(await run('git', ['ls-files', '--others', '--exclude-standard'], { cwd: root })),
  ];
  const quick = selections.quick();
  if (changed.some((path) => everywhere.test(path))) {
    return quick;
  }
  const changedProduct = changed.some((path) => ofProduct.test(path));
  const all = testFiles();
  const imports = await importsOf(root, all);
  const names = changed.map((path) => path.split('/').at(-1));
  return all.filter((file) => {
    const imported = imports.get(file);
    return (
      always.test(file) ||
      changed.some((path) => imported.has(path)) ||
      (changedProduct && imported.has(startsProduct) && quick.includes(file)) ||
      readsOneOf(join(root, file), names)
    );
  });
}

/** A file that is read or started, and not imported, is named in the test. */
function readsOneOf(file, names) {
  const text = readFileSync(file, 'utf8');
  return names.some((name) => text.includes(`/${name}'`) || text.includes(`'${name}'`));
}

const lines = (text) => text.split('\n').filter((line) => line !== '');
