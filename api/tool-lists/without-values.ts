import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import { createTextBlackOut } from '../../lib/black-out/text-black-out.ts';

/** A shorter value may be part of any name, and calls are compared by name. The mark is shorter. */
const shortestInName = 12;

type Text = NonNullable<ToolListReport['instructions']>;
const nothing = { text: '', is_cut: true };

/**
 * A list without the values of its server's secrets, which a server may tell anyone who asks; every member reads what is stored of it. Yields
 * to other work in between. Shows no text at all when `values` is null, or when there is too much to search for.
 */
export async function listWithoutValues(
  report: ToolListReport,
  values: readonly string[] | null,
): Promise<ToolListReport> {
  const inNames = (values ?? []).filter((value) => value.length >= shortestInName);
  const texts = [...report.tools, ...(report.instructions === null ? [] : [report.instructions])];
  const blackOut =
    values &&
    createTextBlackOut(
      values,
      texts.map(({ text }) => text),
    );
  const clean = (text: Text) => (blackOut === null ? nothing : withoutValues(text, blackOut));
  const tools: ToolListReport['tools'] = [];
  for (const tool of report.tools) {
    await nextTurn();
    tools.push({ ...tool, name: nameWithout(tool.name, inNames), ...clean(tool) });
  }
  const instructions = report.instructions && { ...report.instructions, ...clean(report.instructions) };
  return { ...report, tools, instructions };
}

/** Whole values only: a name may well begin or end like one. */
const nameWithout = (name: string, values: readonly string[]): string =>
  values.reduce((shown, value) => shown.replaceAll(value, '[secret]'), name);

function withoutValues(
  { text, is_cut }: Text,
  blackOut: (text: string) => string,
): Pick<Text, 'text' | 'is_cut'> {
  const clean = blackOut(text);
  const shown = clean.slice(0, toolListLimits.textCharacters);
  return { text: shown, is_cut: is_cut || shown.length < clean.length };
}
