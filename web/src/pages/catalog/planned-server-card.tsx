import { Card, Checkbox, Code, Group, List, Select, Stack, Text, Title } from '@mantine/core';
import { Banner } from '../../components/banner.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Pill } from '../../components/pill.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { headerText, shapeLabels, shapeText } from '../../text/shape-text.ts';
import type { PlannedServer } from './import-plan.ts';
import { choiceKey, type KindChoices } from './planned-variable.ts';

/**
 * One server of a pasted configuration, as the catalog entry that it would become. Without `onChoose`
 * nothing of it can be chosen.
 */
export function PlannedServerCard({
  server,
  failure,
  onChoose,
  onWithoutNetwork = null,
}: {
  server: PlannedServer;
  failure: unknown;
  onChoose?: (choice: KindChoices) => void;
  /** Null where the internet is available. */
  onWithoutNetwork?: ((key: string, without: boolean) => void) | null;
}) {
  const { key, input, notes, problems } = server;
  const shape =
    input.shape.type === 'command' ? { ...input.shape, args: input.shape.args ?? [] } : input.shape;
  return (
    <Card withBorder component="section" aria-label={key}>
      <Stack gap="xs">
        <Group gap="xs">
          <Title order={3} size="h5">
            <VisibleText text={key} />
          </Title>
          <Pill tone="idle">{shapeLabels[shape.type]}</Pill>
        </Group>
        <Code block>
          <VisibleText text={shapeText(shape)} />
        </Code>
        {shape.type === 'remote'
          ? (shape.headers ?? []).map((header) => (
              <Text key={header.name} size="sm" ff="monospace">
                <VisibleText text={headerText(header)} />
              </Text>
            ))
          : null}
        {onChoose === undefined ? null : <Variables server={server} onChoose={onChoose} />}
        {notes.length === 0 ? null : (
          <List size="sm">
            {notes.map((note) => (
              <List.Item key={note}>
                <VisibleText text={note} />
              </List.Item>
            ))}
          </List>
        )}
        {onWithoutNetwork === null || shape.type === 'remote' ? null : (
          <Checkbox
            label="Register without network access"
            description="For servers that only need local files."
            checked={input.network === 'none'}
            onChange={(event) => onWithoutNetwork(key, event.currentTarget.checked)}
          />
        )}
        <Problems problems={problems} />
        <FailureAlert error={failure} takesFocus={false} />
      </Stack>
    </Card>
  );
}

function Problems({ problems }: { problems: readonly string[] }) {
  return problems.length === 0 ? null : (
    <Banner tone="fail" role="status" title="This server cannot be registered">
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={problem}>
            <VisibleText text={problem} />
          </List.Item>
        ))}
      </List>
    </Banner>
  );
}

const kinds = [
  { value: 'secret', label: 'Secret' },
  { value: 'value', label: 'Plain value' },
];

function Variables({
  server: { key, variables },
  onChoose,
}: {
  server: PlannedServer;
  onChoose: (choice: KindChoices) => void;
}) {
  if (variables.length === 0) {
    return <Text size="sm">No variables.</Text>;
  }
  return (
    <DataTable columns={['Variable', 'Type', 'Stored default, visible to all members']} minWidth={480}>
      {variables.map(({ name, kind, storedDefault }) => (
        <tr key={name}>
          <td className="mono">
            <VisibleText text={name} />
          </td>
          <td>
            <Select
              aria-label={`Type of ${name}`}
              data={kinds}
              value={kind}
              allowDeselect={false}
              onChange={(value) =>
                onChoose({ [choiceKey(key, name)]: value === 'value' ? 'value' : 'secret' })
              }
            />
          </td>
          <td>
            {storedDefault === null ? (
              <Text size="sm" c="dimmed">
                {kind === 'secret' ? 'none: the value is not imported' : 'none'}
              </Text>
            ) : (
              <VisibleText text={storedDefault} />
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
