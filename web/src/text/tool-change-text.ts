/** What changed of a server's tools, as an event says it. Names are the server's own words. */

/** As in `session.tools_changed` and `workspace.mcp.tools_changed`. */
interface ToolChange {
  new_tools: readonly string[];
  changed_tools: readonly string[];
  /** How many are not named. */
  more_tools: number;
  instructions_changed: boolean;
}

/** A part of the sentence: what it says, and the tools that it says it of. */
interface ChangePart {
  label: string;
  tools: readonly string[];
}

export function partsOfChange(change: ToolChange): ChangePart[] {
  const { new_tools: added, changed_tools: changed, more_tools: more, instructions_changed } = change;
  return [
    ...(added.length === 0 ? [] : [{ label: 'new', tools: added }]),
    ...(changed.length === 0 ? [] : [{ label: 'changed', tools: changed }]),
    ...(more === 0 ? [] : [{ label: `${more} more`, tools: [] }]),
    ...(instructions_changed ? [{ label: 'its instructions', tools: [] }] : []),
  ];
}

/** "new a, b; changed c; its instructions". */
export const changeText = (change: ToolChange): string =>
  partsOfChange(change)
    .map(({ label, tools }) => [label, tools.join(', ')].filter((text) => text !== '').join(' '))
    .join('; ');

/** "5 definitions wait for an admin". */
export const waitingText = (waiting: number): string =>
  waiting === 1 ? '1 definition waits for an admin' : `${waiting} definitions wait for an admin`;
