import { describe, expect, it } from '@jest/globals';
import { listingWithoutValues } from '../../../../activities/mcp-checks/listing-without-values.ts';
import { type ToolListing, toolListing, toolListingLimits } from '../../../../contract/mcp-check.ts';

const hints = { read_only: null, destructive: null, idempotent: null, open_world: null };
const listingOf = (tools: { name: string; title?: string; description?: string }[]): ToolListing => ({
  outcome: 'listed',
  tools: tools.map(({ name, title = null, description = null }) => ({ name, title, description, hints })),
  left_out: 0,
  is_cut: false,
  list_ms: 1,
});
const lines = (count: number, text: (line: number) => string) =>
  Array.from({ length: count }, (_, line) => text(line)).join('\n');

describe('a listing without the values of secrets', () => {
  it('is valid also if names consist only of secrets', async () => {
    const listing = listingOf([
      { name: 'hunter2', title: 'hunter2' },
      { name: 'a', title: 'hunter2', description: 'is hunter2' },
      { name: 'hunter2' },
    ]);
    const shown = await listingWithoutValues(listing, ['hunter2\n']);
    expect(toolListing.parse(shown)).toMatchObject({
      tools: [{ name: '[secret]' }, { name: 'a', title: '[secret]', description: 'is [secret]' }],
      left_out: 1,
    });
  });

  it('is shown at its maximum size with many secrets of several lines each', async () => {
    const values = Array.from({ length: 20 }, (_, value) =>
      lines(30, (line) =>
        Buffer.from(`${value}:${line}`.padStart(48, String(7 * value + line))).toString('base64'),
      ),
    );
    const description = 'Reads one of the files of the workspace, and answers with its text. '.repeat(14);
    const tools = Array.from({ length: 240 }, (_, tool) => ({ name: `tool-${tool}`, description }));
    expect((await listingWithoutValues(listingOf(tools), values))?.tools).toHaveLength(240);
  });

  it('is withheld if the secrets have more lines than can be searched for', async () => {
    const values = [lines(13_000, (line) => line.toString(36).padStart(4, '0'))];
    expect(await listingWithoutValues(listingOf([{ name: 'a' }]), values)).toBeNull();
  });

  it('is withheld if a long text matches the beginning of too many lines at each position', async () => {
    const { descriptionCharacters } = toolListingLimits;
    const description = 'l'.repeat(descriptionCharacters);
    const tools = Array.from({ length: 200 }, (_, tool) => ({ name: `tool-${tool}`, description }));
    const values = [lines(3500, (line) => `line-${line}`)];
    expect(await listingWithoutValues(listingOf(tools), values)).toBeNull();
    expect(await listingWithoutValues(listingOf([{ name: 'line-17' }]), values)).toMatchObject({
      tools: [{ name: '[secret]' }],
    });
  });
});
