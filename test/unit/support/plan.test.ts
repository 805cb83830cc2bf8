import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dependencies, filesIn, keysOf } from '../../../scripts/test/due.mjs';
import { longMode, mayRunTwice, placementOf, selections } from '../../plan.mjs';
import { measuringFiles, ownProcessFiles } from '../../run-alone.mjs';
import { testsNamed, threatModelEntries } from '../../support/threat-model.ts';
import { filesOf, testFiles } from '../../tiers.mjs';

const root = `${resolve('.')}/`;
const [quick, rest] = [selections.quick(), [...selections.rest(), ...filesOf('cluster')]];

describe('the plan of a run', () => {
  it('has every file in the quick tests, the rest or the long mode, and in one of them', () => {
    const all = [...quick, ...rest, ...longMode().map(({ path }) => path)];
    expect(all.toSorted()).toEqual(testFiles().toSorted());
  });

  it('leaves few files to the long mode, each with its reason and a file in CI that proves the same', () => {
    const rows = longMode();
    // Its table has a heading and a line below it.
    const lines = readFileSync('test/long-mode.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(lines.length - 2);
    expect(rows.length).toBeLessThanOrEqual(30);
    for (const { path, reason, provedBy } of rows) {
      expect(path).not.toMatch(/^test\/(hostile|conformance|workflows|replay)\//);
      expect(reason.length).toBeGreaterThan(10);
      expect([...quick, ...rest]).toContain(provedBy);
    }
  });

  // test/architecture/waits has what is said of the lists themselves.
  it('has a file share its process that is on no list', () => {
    expect(placementOf(resolve('test/unit/support/plan.test.ts'))).toBe('shared');
    for (const path of Object.keys(measuringFiles)) {
      expect(placementOf(resolve(path))).toBe('alone');
    }
    for (const path of Object.keys(ownProcessFiles)) {
      expect(placementOf(resolve(path))).toBe('own process');
    }
  });

  it.each([
    ['a test of how the UI looks', 'test/browser/shell.test.ts', true],
    ['an attack', 'test/hostile/hostile-calls.test.ts', false],
    ['isolation', 'test/integration/kubernetes/isolation.test.ts', false],
    ['a recorded history', 'test/integration/store/revocation.test.ts', false],
    ['the search for secrets', 'test/end-to-end/secret-search.test.ts', false],
    ['audit', 'test/integration/sidecar/audit.test.ts', false],
    ['a property', 'test/unit/sidecar/gate/decide.test.ts', false],
  ])('gives a second try by what a file proves: %s', (_what, path, twice) => {
    expect(mayRunTwice(resolve(path))).toBe(twice);
  });
});

/** Tests that are named in a document, as they are written there. */
const namedIn = (text: string) =>
  [
    ...text.matchAll(
      /`((?:unit|integration|end-to-end|hostile|workflows|browser|fuzz|replay|conformance)\/[\w/-]+)`/g,
    ),
  ].map(([, name = '']) => `test/${name}.test.ts`);

describe('what CI runs always, whether or not something changed', () => {
  const whenDue = Object.keys(dependencies);
  const always = [...quick, ...rest].filter(
    (path) => !whenDue.some((beginning) => path.startsWith(beginning)),
  );

  it('proves each rule of the threat model', () => {
    const rules = threatModelEntries(readFileSync('docs/threat-model.md', 'utf8')).filter(({ ids }) =>
      ids[0]?.startsWith('R'),
    );
    expect(rules.length).toBeGreaterThan(0);
    for (const { ids, tests } of rules) {
      const files = tests.flatMap(testsNamed);
      expect({ ids, files }).not.toEqual({ ids, files: [] });
      expect(files.filter((path) => !always.includes(path))).toEqual([]);
    }
  });

  it('makes each attack of the list', () => {
    const rows = readFileSync('test/hostile/README.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    const notAlways = rows.filter((row) =>
      namedIn(row.split('|')[3] ?? '').some((path) => existsSync(path) && !always.includes(path)),
    );
    expect(notAlways).toEqual([]);
  });
});

describe('a test of what the set-up builds or downloads', () => {
  it('depends on files and folders that exist', () => {
    const paths = Object.values(dependencies).flat();
    // What the set-up writes is there only where a test needed it.
    expect(paths.filter((path) => !path.startsWith('.cache/') && !existsSync(path))).toEqual([]);
  });

  it.each(Object.entries(dependencies))(
    'is due when one byte of what it depends on changed: %s',
    async (beginning, paths) => {
      const file = testFiles().find((path) => path.startsWith(beginning)) ?? '';
      const before = await keysOf(root, [file]);
      for (const path of [...paths, file].filter((one) => existsSync(one))) {
        const [changed = ''] = filesIn(root, path);
        const read = (whole: string) => {
          const bytes = Buffer.from(readFileSync(whole));
          return whole === `${root}${changed}` ? Buffer.concat([bytes, Buffer.of(0)]) : bytes;
        };
        expect((await keysOf(root, [file], read)).get(file)).not.toBe(before.get(file));
      }
      expect(await keysOf(root, [file])).toEqual(before);
    },
  );
});
