/** A list as members read it: the values of its server’s secrets are not in it. */
import { expect, it } from '@jest/globals';
import { listWithoutValues } from '../../../../api/internal/receive-tool-list.ts';
import { type ToolListReport, toolListReport } from '../../../../contract/tool-definitions.ts';
import { definitionOf } from '../../../../sidecar/tool-lists/definition.ts';

const secret = 'open "sesame"\nplease!';
const report: ToolListReport = {
  server: 'files',
  is_complete: true,
  tools: [
    { name: 'read', ...definitionOf({ name: 'read', description: `with ${secret}` }) },
    { name: 'write', ...definitionOf({ description: Buffer.from(secret).toString('base64') }) },
  ],
  instructions: definitionOf(`use ${encodeURIComponent(secret)}`),
};
const textsOf = ({ tools, instructions }: ToolListReport) =>
  [...tools, ...(instructions === null ? [] : [instructions])].map(({ text }) => text);

it('redacts values in every form, and keeps names, digests and all other text', async () => {
  const shown = await listWithoutValues(report, [secret]);
  expect(toolListReport.parse(shown)).toEqual(shown);
  expect(textsOf(shown)).toEqual([
    '{"description":"with [secret]","name":"read"}',
    '{"description":"[secret]"}',
    '"use [secret]"',
  ]);
  expect(shown.tools.map(({ name, digest }) => [name, digest])).toEqual(
    report.tools.map(({ name, digest }) => [name, digest]),
  );
});

it('changes nothing for a server without secrets', async () => {
  expect(await listWithoutValues(report, [])).toEqual(report);
});

it.each([
  ['when the values are not known', null],
  ['when there are too many', [Array.from({ length: 5000 }, (_, at) => `line ${at}`).join('\n')]],
])('shows no text %s', async (_, values) => {
  const shown = await listWithoutValues(report, values);
  expect([...shown.tools, shown.instructions].map((each) => [each?.text, each?.is_cut])).toEqual(
    Array(3).fill(['', true]),
  );
});

it('redacts a whole value in a name, and leaves a name that only begins or ends like one', async () => {
  const value = 'postgres://u:p@host/db';
  const named = (name: string) => ({ name, ...definitionOf({ name }) });
  const names = ['query_postgres', value, `${value}!`, 'read'];
  const shown = await listWithoutValues({ ...report, tools: names.map(named) }, [value, 'read']);
  expect(shown.tools.map(({ name }) => name)).toEqual(['query_postgres', '[secret]', '[secret]!', 'read']);
});
