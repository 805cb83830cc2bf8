/** Says which servers of a session do not work, why, and what to do. */
import { Button, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { failureText, remedyByCause } from './process-text.ts';
import { useProcesses } from './use-processes.ts';

export function ServerAlert({ sessionId }: { sessionId: string }) {
  const { slug } = useWorkspace();
  const { data } = useProcesses(sessionId);
  const failed = (data?.processes ?? []).flatMap(({ kind, name, cause }) =>
    kind !== 'server' || cause === null ? [] : [{ name, cause }],
  );
  return failed.length === 0 ? null : (
    <Banner
      tone="fail"
      role="status"
      title={failed.length === 1 ? 'An MCP server is not working' : 'MCP servers are not working'}
    >
      <List size="sm" listStyleType="none" spacing="xs">
        {failed.map(({ name, cause }) => (
          <List.Item key={name}>
            <Text size="sm" fw={600}>
              <VisibleText text={failureText(name, cause)} />
            </Text>
            <Text size="sm">{remedyByCause[cause]}</Text>
            <Button component={Link} href={pathOf(slug, 'catalog', name)} variant="default" size="compact-xs">
              View {name} in the catalog
            </Button>
          </List.Item>
        ))}
      </List>
    </Banner>
  );
}
