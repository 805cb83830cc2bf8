/** Definitions of the tools of catalog entries, as their rows have them. */
import type { ToolListReport } from '../../contract/tool-definitions.ts';

/** One version of a catalog entry. */
export interface EntryVersion {
  workspaceId: string;
  entryId: string;
  version: number;
}

/** A definition as a sidecar reports it. */
export interface ReportedDefinition {
  part: 'tool' | 'instructions';
  /** Empty for instructions. */
  tool: string;
  digest: string;
  text: string;
  is_cut: boolean;
}

/** In one order, so that two lists that are received at the same time wait for each other in one direction only. */
export function definitionsOf({ tools, instructions }: ToolListReport): ReportedDefinition[] {
  const all = [
    ...tools.map(({ name, ...rest }) => ({ part: 'tool' as const, tool: name, ...rest })),
    ...(instructions === null ? [] : [{ part: 'instructions' as const, tool: '', ...instructions }]),
  ];
  const keyed = new Map(all.map((each) => [`${each.part} ${each.tool} ${each.digest}`, each]));
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The definitions of `valuesOf` as rows of a statement. */
export const givenDefinitions = `unnest(
    cast(:parts as text[]), cast(:tools as text[]), cast(:digests as text[]), cast(:texts as text[]), cast(:cuts as boolean[])
  ) as given (part, tool, digest, text, is_cut)`;

/** Values of a statement with `givenDefinitions`. */
export const valuesOf = (definitions: readonly ReportedDefinition[]) => ({
  parts: definitions.map(({ part }) => part),
  tools: definitions.map(({ tool }) => tool),
  digests: definitions.map(({ digest }) => digest),
  texts: definitions.map(({ text }) => text),
  cuts: definitions.map(({ is_cut }) => is_cut),
});
