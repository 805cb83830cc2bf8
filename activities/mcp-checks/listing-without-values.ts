import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ClaimedTool,
  type ToolListing,
  toolListing,
  toolListingLimits,
} from '../../contract/mcp-check.ts';
import { createTextRedactor } from '../../lib/redaction/redactor.ts';

/**
 * What a server listed, with the values of its secret variables redacted as in process output. Two
 * tools whose names become the same are merged. Yields to other work in between. Null when there
 * is too much to search for.
 */
export async function listingWithoutValues(
  listing: ToolListing,
  values: readonly string[],
): Promise<ToolListing | null> {
  const redact = createTextRedactor(values, textsOf(listing));
  if (redact === null) {
    return null;
  }
  const tools = new Map<string, ClaimedTool>();
  for (const tool of listing.tools) {
    await nextTurn();
    const shown = toolWithoutValues(tool, redact);
    tools.set(shown.name, shown);
  }
  return toolListing.parse({
    ...listing,
    tools: [...tools.values()],
    left_out: listing.left_out + listing.tools.length - tools.size,
  });
}

const textsOf = ({ tools }: ToolListing): string[] =>
  tools.flatMap(({ name, title, description }) => [name, title ?? '', description ?? '']);

function toolWithoutValues(
  { name, title, description, hints }: ClaimedTool,
  redact: (text: string) => string,
): ClaimedTool {
  const clean = (text: string, maxCharacters: number) => redact(text).slice(0, maxCharacters);
  return {
    name: clean(name, toolListingLimits.nameCharacters) || '[secret]',
    title: title && clean(title, toolListingLimits.titleCharacters),
    description: description && clean(description, toolListingLimits.descriptionCharacters),
    hints,
  };
}
