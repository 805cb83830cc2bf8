import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { GraphCounts } from '../../api/types.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { counted } from './data-text.ts';

export function GraphPart({ graph }: { graph: GraphCounts }) {
  const { nodes, edges, types, relations, truncated } = graph;
  if (nodes === 0) {
    return (
      <EmptyState
        title="The graph is empty"
        text="Agents write nodes with graph_write, and relate them with graph_relate."
      />
    );
  }
  return (
    <Stack gap="sm">
      <Text>
        {counted(nodes, 'node', 'nodes')}, {counted(edges, 'edge', 'edges')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
        <Counts
          label="Types of nodes"
          name="Type"
          count="Nodes"
          rows={types.map((each) => [each.type, each.nodes])}
        />
        {relations.length === 0 ? null : (
          <Counts
            label="Relations"
            name="Relation"
            count="Edges"
            rows={relations.map((each) => [each.relation, each.edges])}
          />
        )}
      </SimpleGrid>
      {truncated ? <Text c="dimmed">There are more; the most frequent ones are shown.</Text> : null}
    </Stack>
  );
}

function Counts({
  label,
  name,
  count,
  rows,
}: {
  label: string;
  name: string;
  count: string;
  rows: [name: string, count: number][];
}) {
  return (
    <DataTable label={label} columns={[name, { name: count, isRight: true }]}>
      {rows.map(([each, of]) => (
        <tr key={each}>
          <td>
            <VisibleText text={each} />
          </td>
          <td className="right">{of.toLocaleString('en')}</td>
        </tr>
      ))}
    </DataTable>
  );
}
