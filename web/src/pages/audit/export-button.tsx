import { Button, Group, Text } from '@mantine/core';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { type AuditFilter, exportName } from './audit-filter.ts';
import { exportEvents } from './export-events.ts';

/** Saves all events that pass the filter as a file, one JSON object a line, and says how many there are. */
export function ExportButton({ filter }: { filter: AuditFilter }) {
  const { slug } = useWorkspace();
  const run = useApiMutation({
    async send() {
      const { file, count } = await exportEvents(slug, filter);
      save(file, exportName(slug, new Date()));
      return count;
    },
  });
  return (
    <Group gap="xs">
      <Button onClick={() => run.mutate()} loading={run.isPending}>
        Export
      </Button>
      <Text role="status" size="sm" c="dimmed">
        {run.isSuccess ? `Exported ${run.data} events.` : ''}
      </Text>
      <FailureAlert error={run.error} values={filter} />
    </Group>
  );
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then; the page need not keep it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
