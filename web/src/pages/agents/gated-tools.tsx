import { Alert, List, Text } from '@mantine/core';
import type { McpServer } from '../../api/types.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { unlistedToolsText } from '../../text/tool-policy-text.ts';

/** What attaching opens at once, and what the agent will have to ask for. */
export function GatedTools({ entry }: { entry: McpServer }) {
  const { manifest, approvers, unlisted_tools: unlisted } = entry;
  const gated = Object.entries(manifest.tool_scopes);
  if (gated.length === 0 && unlisted === 'refuse') {
    return (
      <Alert role="note" color="blue" title="Only listed tools can be called">
        No tool needs a grant. Its tools <VisibleText text={unlistedToolsText(entry)} />.
      </Alert>
    );
  }
  if (gated.length === 0) {
    return (
      <Alert role="note" color="yellow" title="All tools are open">
        No tool needs a grant: the agent can call all of them without asking.
      </Alert>
    );
  }
  return (
    <Alert role="note" color="blue" title="These tools need a grant">
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
    </Alert>
  );
}
