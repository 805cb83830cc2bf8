import { List, Text } from '@mantine/core';
import { VisibleText } from '../../components/visible-text.tsx';
import { useScopes } from './use-scopes.ts';

/** The tools that a scope opens, by the catalog as it is now. */
export function OpenedTools({ scope }: { scope: string }) {
  const { data } = useScopes();
  const tools = data?.find((known) => known.scope === scope)?.tools;
  if (data === undefined) {
    return null;
  }
  return tools === undefined ? (
    <Text size="sm" c="dimmed">
      No entry of the catalog names this scope now.
    </Text>
  ) : (
    <List size="sm">
      {tools.map(({ server, tool }) => (
        <List.Item key={`${server} ${tool}`}>
          <VisibleText text={`${server}.${tool}`} />
        </List.Item>
      ))}
    </List>
  );
}
