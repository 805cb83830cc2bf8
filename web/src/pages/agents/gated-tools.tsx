import { Alert, List, Text } from '@mantine/core';
import type { Manifest, McpServer } from '../../api/types.ts';
import { VisibleText } from '../../components/visible-text.tsx';

/** What attaching opens at once, and what the agent will have to ask for. */
export function GatedTools({
  manifest,
  approvers,
}: {
  manifest: Manifest;
  approvers: McpServer['approvers'];
}) {
  const gated = Object.entries(manifest.tool_scopes);
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
        {approvers === 'admin' ? 'Only admins can grant them. ' : ''}All other tools are open.
      </Text>
    </Alert>
  );
}
