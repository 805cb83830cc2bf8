import { Stack, Text } from '@mantine/core';
import type { Collection } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
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
      <DataTable
        label="Collections"
        columns={[
          'Name',
          { name: 'Items', isRight: true },
          { name: 'Dimensions', isRight: true },
          'Vectors come from',
          'Created',
        ]}
        minWidth={680}
      >
        {collections.map((collection) => (
          <CollectionRow key={collection.name} collection={collection} />
        ))}
      </DataTable>
      {truncated ? <Text c="dimmed">There are more; the first ones by name are shown.</Text> : null}
    </Stack>
  );
}

function CollectionRow({ collection }: { collection: Collection }) {
  const { slug } = useWorkspace();
  const { name, items, dimensions, embedder, created_at, created_by_session } = collection;
  return (
    <tr>
      <td>
        <VisibleText text={name} />
      </td>
      <td className="right">{items.toLocaleString('en')}</td>
      <td className="right">{dimensions.toLocaleString('en')}</td>
      <td>
        <VisibleText text={embedderText(embedder)} />
      </td>
      <td>
        <RelativeTime at={created_at} /> in{' '}
        <TextLink to={pathOf(slug, 'sessions', created_by_session)}>a session</TextLink>
      </td>
    </tr>
  );
}
