import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ClaimedTool, type ToolListing, toolListingLimits } from '../../contract/mcp-check.ts';
import { createBlackOut } from '../../runtime/process/host/output/black-out.ts';

/**
 * What a server listed, with the values of its secret variables blacked out as in what processes write. Two tools whose names become
 * the same are one. Other work gets its turn in between.
 */
export async function listingWithoutValues(
  listing: ToolListing,
  values: readonly string[],
): Promise<ToolListing> {
  const blackOut = createBlackOut(values);
  // Each text by itself, to its end: one that was cut may end within a value.
  const clean = (text: string, maxCharacters: number) =>
    Buffer.concat([blackOut.push(Buffer.from(text)), blackOut.end()])
      .toString('utf8')
      .slice(0, maxCharacters);
  const tools = new Map<string, ClaimedTool>();
  for (const { name, title, description, hints } of listing.tools) {
    await nextTurn();
    const shown = clean(name, toolListingLimits.nameCharacters);
    tools.set(shown, {
      name: shown,
      title: title && clean(title, toolListingLimits.titleCharacters),
      description: description && clean(description, toolListingLimits.descriptionCharacters),
      hints,
    });
  }
  return {
    ...listing,
    tools: [...tools.values()],
    left_out: listing.left_out + listing.tools.length - tools.size,
  };
}
