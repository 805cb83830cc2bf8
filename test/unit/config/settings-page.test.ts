/** `docs/settings.md` is made from the schemas that parse the variables. `npm run docs` updates it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import * as z from 'zod';
import { limitFields } from '../../../config/limits.ts';
import { type Reader, type Setting, settings } from '../../../config/settings.ts';

const mebibyte = 1024 * 1024;
const daySeconds = 24 * 3600;
const runtimes: readonly Reader[] = ['process', 'container', 'kubernetes'];

/** Of a number that is hard to read by itself. */
function inWords(name: string, value: unknown): string {
  const number = Number(value);
  if (name.endsWith('_BYTES') && number % mebibyte === 0) {
    const gibibytes = number / mebibyte / 1024;
    return gibibytes >= 1 ? ` (${gibibytes} GiB)` : ` (${number / mebibyte} MiB)`;
  }
  if (name.endsWith('_SECONDS') && number >= 3600) {
    return number > daySeconds ? ` (${number / daySeconds} days)` : ` (${number / 3600} h)`;
  }
  return '';
}

/** Of a variable without a default. */
const none = '-';

function defaultText(name: string, field: z.ZodType): string {
  const unset = field.safeParse(undefined);
  if (!unset.success) {
    return 'required';
  }
  // A switch's is of what it parses to, which its schema of what is written has no place for.
  if (typeof unset.data === 'boolean') {
    return `\`${unset.data}\``;
  }
  const { default: value } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  return value === undefined || value === '' ? none : `\`${String(value)}\`${inWords(name, value)}`;
}

/** The worker alone, where it reads it on every runtime. */
function readersText(readers: readonly Reader[]): string {
  const of = runtimes.filter((runtime) => readers.includes(runtime));
  const worker =
    of.length === 0 ? [] : [of.length === runtimes.length ? 'worker' : `worker (${of.join(', ')})`];
  const others = readers.filter((reader) => !runtimes.includes(reader));
  return [...others, ...worker].map((reader) => (reader === 'npm start' ? '`npm start`' : reader)).join(', ');
}

function defaultsText({ name, readBy }: Setting): string {
  const byText = new Map<string, Reader[]>();
  for (const { reader, field } of readBy) {
    const text = defaultText(name, field);
    byText.set(text, [...(byText.get(text) ?? []), reader]);
  }
  const texts = [...byText].map(([text, readers]) =>
    byText.size === 1 ? text : `${text} (${readersText(readers)})`,
  );
  return texts.join('; ');
}

const readersOf = ({ readBy }: Setting) => readersText(readBy.map(({ reader }) => reader));
const row = (setting: Setting) => {
  const file = setting.isSecret ? ', `_FILE`' : '';
  return `| \`${setting.name}\`${file} | ${defaultsText(setting)} | ${setting.meaning} |\n`;
};
const rows = (of: readonly Setting[]) => of.map(row).join('');
/** Those with the same readers under a row that names them. */
function rowsByReaders(of: readonly Setting[]): string {
  const groups = new Map<string, Setting[]>();
  for (const setting of of) {
    const readers = readersOf(setting);
    groups.set(readers, [...(groups.get(readers) ?? []), setting]);
  }
  return [...groups].map(([readers, theirs]) => `| **${readers}** | | |\n${rows(theirs)}`).join('');
}
const isLimit = ({ name }: Setting) => name in limitFields;
const limits = settings.filter(isLimit);

const tableHead = '| Variable | Default | Meaning |\n| --- | --- | --- |\n';

const page = `# Settings

Every environment variable that the platform reads, below its readers; \`npm run docs\` makes this page from the
schemas in [\`config/\`](../config). Where it says \`_FILE\`, a variable of that name and ending may name a file that
holds the value. An empty variable counts as absent; \`-\`: no default. [Operations](operations.md) says which to set
and when, [limits](limits.md) what the limits are for; \`npm start\`, compose and the chart pass on what their readers
need.

${tableHead}${rowsByReaders(settings.filter((setting) => !isLimit(setting)))}
## Limits

Read by ${[...new Set(limits.map(readersOf))].join('; ')}.

${tableHead}${rows(limits)}`;

it('the page of settings is made from the schemas', () => {
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync('docs/settings.md', page);
  }
  expect(readFileSync('docs/settings.md', 'utf8')).toBe(page);
});

it('all limits are read by the same processes, which the page says once', () => {
  expect(new Set(limits.map(readersOf)).size).toBe(1);
});

it('each setting has one meaning', () => {
  for (const { name, readBy } of settings) {
    const meanings = new Set(readBy.flatMap(({ field }) => field.description ?? []));
    expect({ name, meanings: meanings.size }).toEqual({ name, meanings: 1 });
  }
});

it('are not more than were counted when they were last looked at', () => {
  expect(settings.length).toBeLessThanOrEqual(117);
  expect(limits.length).toBeLessThanOrEqual(25);
});
