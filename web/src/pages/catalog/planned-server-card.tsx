import {
  Alert,
  Badge,
  Card,
  Checkbox,
  Code,
  Group,
  List,
  Select,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { FailureAlert } from '../../components/failure-alert.tsx';
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
          <Badge variant="light">{shapeLabels[shape.type]}</Badge>
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
    <Alert color="red" role="status" title="This server cannot be registered">
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={problem}>
            <VisibleText text={problem} />
          </List.Item>
        ))}
      </List>
    </Alert>
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
    <Table.ScrollContainer minWidth={480}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Variable</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Stored default, visible to all members</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {variables.map(({ name, kind, storedDefault }) => (
            <Table.Tr key={name}>
              <Table.Td ff="monospace">
                <VisibleText text={name} />
              </Table.Td>
              <Table.Td>
                <Select
                  aria-label={`Type of ${name}`}
                  data={kinds}
                  value={kind}
                  allowDeselect={false}
                  onChange={(value) =>
                    onChoose({ [choiceKey(key, name)]: value === 'value' ? 'value' : 'secret' })
                  }
                />
              </Table.Td>
              <Table.Td>
                {storedDefault === null ? (
                  <Text size="sm" c="dimmed">
                    {kind === 'secret' ? 'none: the value is not imported' : 'none'}
                  </Text>
                ) : (
                  <VisibleText text={storedDefault} />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
