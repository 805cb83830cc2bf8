/**
 * `node scripts/measure-structure.mjs`: the figures of docs/structure.md; with `thin` it
 * lists the thin files, too.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path/posix';

const textOf = (path) => readFileSync(path, 'utf8');
const filesOf = (...patterns) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(existsSync);
const linesOf = (text) => text.split('\n').length - 1;
const kilobytes = (paths) =>
  `${Math.round(paths.reduce((sum, path) => sum + Buffer.byteLength(textOf(path)), 0) / 1000)} KB`;

const product = filesOf('*.ts', '*.tsx', ':!test', ':!bench', ':!*.d.ts');
const texts = new Map(product.map((path) => [path, textOf(path)]));

/** Files under 40 lines that one other file imports, which is in the same folder. */
function thinFiles() {
  const importers = new Map(product.map((path) => [path, new Set()]));
  for (const [path, text] of texts) {
    for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      importers.get(normalize(join(dirname(path), specifier)))?.add(path);
    }
  }
  return product.filter((path) => {
    const [importer, ...others] = importers.get(path);
    const isNeighbour = importer !== undefined && dirname(importer) === dirname(path);
    return isNeighbour && others.length === 0 && linesOf(texts.get(path)) < 40;
  });
}

/** Names that a file of settings gives to variables, each at the start of a line. */
const settingsIn = (text) => [...text.matchAll(/^\| `[A-Z][A-Z0-9_]+`/gm)].length;

/** As `test/architecture/documents` counts them, at its 120 columns. */
const longLines = (markdown) =>
  markdown
    .replaceAll(/^( *)```.*?^\1```/gms, '')
    .split('\n')
    .filter((line) => line.length > 120 && !line.startsWith('|')).length;

/** Of test files: those before the first test or group of tests, and all. */
function linesBeforeTests() {
  const files = filesOf('test/**/*.test.ts').map((path) => textOf(path).split('\n'));
  const before = files.map((lines) => lines.findIndex((line) => /^\s*(describe|it|test)\w*[.(]/.test(line)));
  const sum = before.reduce((total, count) => total + Math.max(count, 0), 0);
  const all = files.reduce((total, lines) => total + lines.length - 1, 0);
  return `${sum} of ${all}, ${Math.round((100 * sum) / all)} %`;
}

const matching = (pattern, folder = '') =>
  product.filter(
    (path) => path.startsWith(folder) && !path.startsWith('web/') && pattern.test(texts.get(path)),
  ).length;

/** How many files a section of docs/structure.md lists; one that is gone is an error. */
function pathOf(heading) {
  const [, section = ''] = textOf('docs/structure.md').split(`### ${heading}\n`);
  const named = [...section.split('\n#')[0].matchAll(/`([\w/.{},-]+)`/g)].flatMap(([, name]) =>
    expanded(name),
  );
  const gone = named.filter((name) => !existsSync(name));
  if (gone.length > 0) {
    throw new Error(`docs/structure.md names what is not there: ${gone.join(', ')}`);
  }
  return new Set(named).size;
}

/** `a/{b,c}.ts` is `a/b.ts` and `a/c.ts`. */
function expanded(name) {
  const [, before, inside, after] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return inside === undefined ? [name] : inside.split(',').map((each) => `${before}${each}${after}`);
}

const pages = filesOf('*.md', ':!test', ':!CHANGELOG.md');
const docs = filesOf('docs/*.md');
const settingsPage = textOf('docs/settings.md');
const thin = thinFiles();
const thinOfWeb = thin.filter((path) => path.startsWith('web/'));
const primitive =
  /^export function create\w*(Slots|SlotsByKey|Semaphore|Turns|Mutex|Pace|Bucket|Limiter|Limits?|Budget)\(/m;

const figures = [
  ['files of the product, with the web UI', product.length],
  [
    'files under 40 lines whose one importer is in the same folder',
    `${thin.length}, ${thinOfWeb.length} of them in web/`,
  ],
  ['environment variables that the settings name', settingsIn(settingsPage)],
  ['of them limits and quotas', settingsIn(settingsPage.split('## Limits')[1])],
  ['pages in docs/, without the generated OpenAPI', kilobytes(docs)],
  ['README', `${linesOf(textOf('README.md'))} lines`],
  ['CHANGELOG', kilobytes(['CHANGELOG.md'])],
  ['threat model', kilobytes(['docs/threat-model.md'])],
  [
    'lines of pages over 120 characters, outside of tables and blocks',
    pages.reduce((sum, page) => sum + longLines(textOf(page)), 0),
  ],
  ['lines of test files before their first test', linesBeforeTests()],
  ['files that define a limiter, semaphore or mutex', matching(primitive)],
  ['files of runtime/ that mention siblings', matching(/sibling/i, 'runtime/')],
  ['files of runtime/ that mention services', matching(/service/i, 'runtime/')],
  ['files of runtime/ that mention the model', matching(/model/i, 'runtime/')],
  ['files that name the limit of events per minute', matching(/events_per_minute/i)],
  ['files from a saved URL to a token in use', pathOf('From a saved URL to a token in use')],
  ['files from `spawn_session` to a running child', pathOf('From `spawn_session` to a running child')],
];

for (const [what, value] of figures) {
  console.log(`| ${what} | ${value} |`);
}
if (process.argv.includes('thin')) {
  for (const path of thin) {
    console.log(`${linesOf(texts.get(path))} ${dirname(path)}/${basename(path)}`);
  }
}
