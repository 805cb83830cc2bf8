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
      <Alert role="note" color="yellow" title="All of its tools are open">
        The manifest gates none: the agent may call each of them without asking.
      </Alert>
    );
  }
  return (
    <Alert role="note" color="blue" title="The agent has to ask before it calls these tools">
      <List size="sm">
        {gated.map(([tool, scope]) => (
          <List.Item key={tool}>
            <VisibleText text={tool} /> needs {scope}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        {approvers === 'admin' ? 'Only admins grant them. ' : ''}Every other tool is open.
      </Text>
    </Alert>
  );
}
