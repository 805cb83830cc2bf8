import { Button, Card, Group, List, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldProblem } from '../../../../contract/errors.ts';
import type { McpServer } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { CodeTextarea } from '../../components/code-textarea.tsx';
import { ManifestPreview } from './manifest-preview.tsx';
import { exampleManifest, manifestText, type ReadManifest } from './manifest-text.ts';

/** The manifest as JSON, with its problems and its meaning while typing. */
export function ManifestEditor({
  value,
  onChange,
  read,
  error,
  emptyMeans,
  unlistedTools,
}: {
  value: string;
  onChange: (text: string) => void;
  read: ReadManifest;
  /** The error of the attempt to save it. */
  error: ReactNode;
  /** What the absence of a manifest means for this shape. */
  emptyMeans: string;
  unlistedTools: McpServer['unlisted_tools'];
}) {
  const { manifest, problems } = read;
  return (
    <Stack gap="sm">
      <CodeTextarea
        label="Tools and variables"
        description={`JSON: env names the variables that an attachment fills in, tool_scopes the tools that need a grant. ${emptyMeans}`}
        value={value}
        onChange={onChange}
        error={error}
      />
      <Group gap="xs">
        {value.trim() === '' ? (
          <Button variant="default" size="compact-sm" onClick={() => onChange(exampleManifest)}>
            Use an example
          </Button>
        ) : null}
        {manifest === null ? null : (
          <Button variant="default" size="compact-sm" onClick={() => onChange(manifestText(manifest))}>
            Format
          </Button>
        )}
      </Group>
      <Problems problems={problems} />
      {manifest === null ? null : (
        <Card withBorder>
          <ManifestPreview manifest={manifest} unlistedTools={unlistedTools} />
        </Card>
      )}
    </Stack>
  );
}

/** Announced as it changes, without taking the focus from the text. */
function Problems({ problems }: { problems: readonly FieldProblem[] }) {
  return (
    <div role="status">
      {problems.length === 0 ? null : (
        <Banner role="note" tone="fail" title="The manifest is invalid">
          <List size="sm">
            {problems.map(({ path, message }) => (
              <List.Item key={`${path} ${message}`}>
                {path}: {message}
              </List.Item>
            ))}
          </List>
        </Banner>
      )}
    </div>
  );
}
