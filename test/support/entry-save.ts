/** What saving an entry takes beside its input, for tests that are not about remote servers. */
import type { EntryImage, EntrySave } from '../../commands/mcp-servers/mcp-servers.ts';
import type { McpServerInput } from '../../contract/catalog.ts';

export const testAddresses: EntrySave['addresses'] = {
  redirectUri: (id) => `http://127.0.0.1:8080/api/oauth/callback/${id}`,
  clientMetadataUrl: () => null,
};

export const entrySave = (
  input: McpServerInput,
  userId: string,
  image: EntryImage | null = null,
): EntrySave => ({ input, userId, image, addresses: testAddresses });
