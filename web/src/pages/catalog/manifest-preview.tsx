import { Badge, Code, Stack, Table, Text, Title } from '@mantine/core';
import type { Manifest, ManifestEnvField, McpServer } from '../../api/types.ts';
import { VisibleText } from '../../components/visible-text.tsx';

/** What a manifest means: the variables that an attachment fills in, and the tools that need a grant. */
export function ManifestPreview({
  manifest,
  unlistedTools,
}: {
  manifest: Manifest;
  unlistedTools: McpServer['unlisted_tools'];
}) {
  const scopes = Object.entries(manifest.tool_scopes);
  const fields = Object.entries(manifest.env);
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Tools that need a grant
      </Title>
      {scopes.length === 0 ? (
        <Text size="sm">
          None: any agent with this server attached can call{' '}
          {unlistedTools === 'allow' ? 'all of its tools' : 'those that are listed, and no others'}.
        </Text>
      ) : (
        <ScopesTable scopes={scopes} />
      )}
      <Title order={3} size="h5" mt="sm">
        Variables
      </Title>
      {fields.length === 0 ? <Text size="sm">None.</Text> : <FieldsTable fields={fields} />}
    </Stack>
  );
}

function ScopesTable({ scopes }: { scopes: [string, string][] }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Tool</Table.Th>
          <Table.Th>Scope</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {scopes.map(([tool, scope]) => (
          <Table.Tr key={tool}>
            <Table.Td>
              <VisibleText text={tool} />
            </Table.Td>
            <Table.Td>
              <Code>{scope}</Code>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function FieldsTable({ fields }: { fields: [string, ManifestEnvField][] }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Variable</Table.Th>
          <Table.Th>Type</Table.Th>
          <Table.Th>Description</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map(([name, field]) => (
          <Table.Tr key={name}>
            <Table.Td ff="monospace">{name}</Table.Td>
            <Table.Td>
              <Badge variant="light" color={field.kind === 'secret' ? 'grape' : 'blue'}>
                {field.kind === 'secret' ? 'secret' : 'value'}
              </Badge>{' '}
              {field.required ? <Badge variant="outline">required</Badge> : null}
            </Table.Td>
            <Table.Td>
              <VisibleText text={field.label} />
              {constraintsOf(field).map((text) => (
                <Text key={text} size="xs" c="dimmed" component="div">
                  <VisibleText text={text} />
                </Text>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Each rule of a field as a short sentence. */
function constraintsOf(field: ManifestEnvField): string[] {
  return [
    ...(field.description === undefined ? [] : [field.description]),
    ...(field.enum === undefined ? [] : [`One of ${field.enum.join(', ')}`]),
    ...(field.regex === undefined ? [] : [`Matches ${field.regex}`]),
    ...(field.default === undefined ? [] : [`Default: ${field.default}`]),
  ];
}
