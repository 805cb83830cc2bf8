/** The definitions that count as approved, each on request in the server's words. */
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import type { ToolDefinition } from '../../../api/types.ts';
import { CodeText } from '../../../components/code-text.tsx';
import { PersonName } from '../../../components/person-name.tsx';
import { ListState } from '../../../components/query-state.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { DefinitionView, subjectOf } from './definition-view.tsx';
import { type EntryVersion, useAccepted } from './use-tools.ts';

export function Accepted({ of }: { of: EntryVersion }) {
  const list = useAccepted(of);
  return (
    <Card withBorder component="section" aria-label="Accepted tools">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Accepted tools
        </Title>
        <ListState
          list={list}
          what="The accepted tools"
          empty={<Text c="dimmed">None: the server listed no tools, or they are no longer kept.</Text>}
        >
          {(items) => (
            <Stack gap="xs" component="ul" m={0} p={0} aria-label="Accepted tools">
              {items.map((definition) => (
                <AcceptedRow key={definition.id} server={of.name} definition={definition} />
              ))}
            </Stack>
          )}
        </ListState>
      </Stack>
    </Card>
  );
}

function AcceptedRow({ server, definition }: { server: string; definition: ToolDefinition }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { part, tool, accepted_at: at, accepted_by: by } = definition;
  return (
    <Stack component="li" gap="xs" style={{ listStyle: 'none' }}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs" miw={0} flex="1 1 14rem">
          {part === 'instructions' ? (
            <Text size="sm">Instructions of the server</Text>
          ) : (
            <CodeText text={tool} />
          )}
          <Text size="xs" c="dimmed" component="div">
            {at === null ? null : <RelativeTime at={at} />}
            {by === null ? null : (
              <>
                {' '}
                by <PersonName id={by} />
              </>
            )}
          </Text>
        </Group>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`${isOpen ? 'Hide' : 'Show'} the definition of ${subjectOf(definition)}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      </Group>
      <div id={id}>{isOpen ? <DefinitionView server={server} definition={definition} /> : null}</div>
    </Stack>
  );
}
