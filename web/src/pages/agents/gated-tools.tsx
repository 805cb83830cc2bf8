import { List, Text } from '@mantine/core';
import type { McpServer } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { unlistedToolsText } from '../../text/tool-policy-text.ts';

/** What attaching opens at once, and what the agent will have to ask for. */
export function GatedTools({ entry }: { entry: McpServer }) {
  const { manifest, approvers, unlisted_tools: unlisted } = entry;
  const gated = Object.entries(manifest.tool_scopes);
  if (gated.length === 0 && unlisted === 'refuse') {
    return (
      <Banner role="note" tone="idle" title="Only listed tools can be called">
        No tool needs a grant. Its tools <VisibleText text={unlistedToolsText(entry)} />.
      </Banner>
    );
  }
  if (gated.length === 0) {
    return (
      <Banner role="note" tone="wait" title="All tools are open">
        No tool needs a grant: the agent can call all of them without asking.
      </Banner>
    );
  }
  return (
    <Banner role="note" tone="idle" title="These tools need a grant">
      <List size="sm">
        {gated.map(([tool, scope]) => (
          <List.Item key={tool}>
            <VisibleText text={tool} /> needs {scope}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        {approvers === 'admin' ? 'Only admins can grant them. ' : ''}
        {unlisted === 'allow' ? (
          'All other tools are open.'
        ) : (
          <>
            All other tools <VisibleText text={unlistedToolsText(entry)} />.
          </>
        )}
      </Text>
    </Banner>
  );
}
