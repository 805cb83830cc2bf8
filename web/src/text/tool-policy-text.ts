/** What an entry says of its tools as a whole, in words. */
import type { McpServer } from '../api/types.ts';

export const changedToolsText = (changedTools: McpServer['changed_tools']): string =>
  changedTools === 'refuse'
    ? 'their calls are refused until an admin accepts them'
    : 'the people concerned are told';

export function unlistedToolsText({
  unlisted_tools: unlisted,
  listed_tools: listed,
}: Pick<McpServer, 'unlisted_tools' | 'listed_tools'>): string {
  if (unlisted === 'allow') {
    return 'open';
  }
  return listed.length === 0 ? 'cannot be called' : `cannot be called, but for ${listed.join(', ')}`;
}

/** How many tools need a grant. `isOpen`: an agent can call all tools without one. */
export function gatedText({
  manifest,
  unlisted_tools: unlisted,
  listed_tools: listed,
}: Pick<McpServer, 'manifest' | 'unlisted_tools' | 'listed_tools'>): { text: string; isOpen: boolean } {
  const gated = Object.keys(manifest.tool_scopes).length;
  if (unlisted === 'refuse') {
    return { text: `${gated}, and ${listed.length} listed`, isOpen: false };
  }
  return gated === 0 ? { text: 'none', isOpen: true } : { text: String(gated), isOpen: false };
}
