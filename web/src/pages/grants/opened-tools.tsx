import { List, Text } from '@mantine/core';
import { VisibleText } from '../../components/visible-text.tsx';
import { useScopes } from './use-scopes.ts';

/** The tools that a scope opens, by the catalog as it is now. */
export function OpenedTools({ scope }: { scope: string }) {
  const { data } = useScopes();
  const known = data?.find((one) => one.scope === scope);
  if (data === undefined) {
    return null;
  }
  return known === undefined ? (
    <Text size="sm" c="dimmed">
      No catalog entry uses this scope now.
    </Text>
  ) : (
    <List size="sm">
      {known.tools.map(({ server, tool }) => (
        <List.Item key={`${server} ${tool}`}>
          <VisibleText text={`${server}.${tool}`} />
        </List.Item>
      ))}
      {known.moreTools === 0 ? null : <List.Item>and {known.moreTools} more</List.Item>}
    </List>
  );
}
