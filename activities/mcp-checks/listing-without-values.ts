import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ClaimedTool,
  type ToolListing,
  toolListing,
  toolListingLimits,
} from '../../contract/mcp-check.ts';
import { type BlackOut, createBlackOut } from '../../lib/black-out/black-out.ts';

/** Well under a second of work. The longest listing with secrets of six hundred lines takes a third of it. */
const mostComparisons = 4_000_000;

/**
 * What a server listed, with the values of its secret variables redacted as in process output. Two tools whose names become
 * the same are merged. Yields to other work in between. Null when there is too much to search for.
 */
export async function listingWithoutValues(
  listing: ToolListing,
  values: readonly string[],
): Promise<ToolListing | null> {
  const blackOut = createBlackOut(values);
  if (blackOut.showsNothing || comparisonsOf(listing, blackOut) > mostComparisons) {
    return null;
  }
  const tools = new Map<string, ClaimedTool>();
  for (const tool of listing.tools) {
    await nextTurn();
    const shown = toolWithoutValues(tool, blackOut);
    tools.set(shown.name, shown);
  }
  return toolListing.parse({
    ...listing,
    tools: [...tools.values()],
    left_out: listing.left_out + listing.tools.length - tools.size,
  });
}

function comparisonsOf({ tools }: ToolListing, blackOut: BlackOut): number {
  const texts = tools.flatMap(({ name, title, description }) => [name, title ?? '', description ?? '']);
  return blackOut.comparisons(Buffer.from(texts.join('')));
}

function toolWithoutValues(
  { name, title, description, hints }: ClaimedTool,
  blackOut: BlackOut,
): ClaimedTool {
  // Each text by itself, in full: a truncated one may end within a value.
  const clean = (text: string, maxCharacters: number) =>
    Buffer.concat([blackOut.push(Buffer.from(text)), blackOut.end()])
      .toString('utf8')
      .slice(0, maxCharacters);
  return {
    name: clean(name, toolListingLimits.nameCharacters) || '[secret]',
    title: title && clean(title, toolListingLimits.titleCharacters),
    description: description && clean(description, toolListingLimits.descriptionCharacters),
    hints,
  };
}
