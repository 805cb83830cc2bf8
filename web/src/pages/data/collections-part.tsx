import { Stack, Table, Text } from '@mantine/core';
import type { Collection } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { embedderText } from './data-text.ts';

export function CollectionsPart({
  collections,
  truncated,
}: {
  collections: Collection[];
  truncated: boolean;
}) {
  if (collections.length === 0) {
    return (
      <EmptyState
        title="There are no collections"
        text="Agents write items with vector_upsert, and find similar ones with vector_search."
      />
    );
  }
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={680}>
        <Table verticalSpacing="sm" aria-label="Collections">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Items</Table.Th>
              <Table.Th ta="right">Dimensions</Table.Th>
              <Table.Th>Vectors come from</Table.Th>
              <Table.Th>Created</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {collections.map((collection) => (
              <CollectionRow key={collection.name} collection={collection} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {truncated ? <Text c="dimmed">There are more; the first ones by name are shown.</Text> : null}
    </Stack>
  );
}

function CollectionRow({ collection }: { collection: Collection }) {
  const { slug } = useWorkspace();
  const { name, items, dimensions, embedder, created_at, created_by_session } = collection;
  return (
    <Table.Tr>
      <Table.Td>
        <VisibleText text={name} />
      </Table.Td>
      <Table.Td ta="right">{items.toLocaleString('en')}</Table.Td>
      <Table.Td ta="right">{dimensions.toLocaleString('en')}</Table.Td>
      <Table.Td>
        <VisibleText text={embedderText(embedder)} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={created_at} /> in{' '}
        <TextLink to={pathOf(slug, 'sessions', created_by_session)}>a session</TextLink>
      </Table.Td>
    </Table.Tr>
  );
}
