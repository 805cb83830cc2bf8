import { Code, Stack, Text, Title } from '@mantine/core';
import type { Manifest, ManifestEnvField, McpServer } from '../../api/types.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Pill } from '../../components/pill.tsx';
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
    <DataTable columns={['Tool', 'Scope']}>
      {scopes.map(([tool, scope]) => (
        <tr key={tool}>
          <td>
            <VisibleText text={tool} />
          </td>
          <td>
            <Code>{scope}</Code>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function FieldsTable({ fields }: { fields: [string, ManifestEnvField][] }) {
  return (
    <DataTable columns={['Variable', 'Type', 'Description']}>
      {fields.map(([name, field]) => (
        <tr key={name}>
          <td className="mono">{name}</td>
          <td>
            <Pill tone={field.kind === 'secret' ? 'refused' : 'run'}>
              {field.kind === 'secret' ? 'secret' : 'value'}
            </Pill>{' '}
            {field.required ? <Pill tone="idle">required</Pill> : null}
          </td>
          <td>
            <VisibleText text={field.label} />
            {constraintsOf(field).map((text) => (
              <Text key={text} size="xs" c="dimmed" component="div">
                <VisibleText text={text} />
              </Text>
            ))}
          </td>
        </tr>
      ))}
    </DataTable>
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
