import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { useId, useState } from 'react';
import type { AuditEvent } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { AuditDetails } from './audit-details.tsx';
import { aboutOf, eventLabels, linksOf, outcomeOf, type Tone } from './audit-text.ts';

const colors: Record<Tone, string> = { good: 'green', bad: 'red', plain: 'gray' };

interface Props {
  event: AuditEvent;
  nameOf: (id: string) => string | null;
}

export function AuditRow({ event, nameOf }: Props) {
  const { slug } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const detailsId = useId();
  const outcome = outcomeOf(event);
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <RelativeTime at={event.at} />
        </Table.Td>
        <Table.Td>
          <Text fw={500} component="span" inherit>
            {eventLabels[event.event]}
          </Text>{' '}
          <VisibleText text={aboutOf(event)} />{' '}
          {outcome === null ? null : (
            <Badge variant="dot" color={colors[outcome.tone]} tt="none">
              {outcome.word}
            </Badge>
          )}
        </Table.Td>
        <Table.Td>
          <Actor event={event} nameOf={nameOf} />
        </Table.Td>
        <Table.Td>
          <Group gap="xs">
            {linksOf(slug, event).map(({ label, to }) => (
              <TextLink key={label} to={to}>
                {label}
              </TextLink>
            ))}
          </Group>
        </Table.Td>
        <Table.Td>
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={opened}
            aria-controls={detailsId}
            onClick={() => setOpened(!opened)}
          >
            {opened ? 'Hide' : 'Details'}
          </Button>
        </Table.Td>
      </Table.Tr>
      {opened ? (
        <Table.Tr id={detailsId}>
          <Table.Td colSpan={5}>
            <AuditDetails event={event} />
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  );
}

function Actor({ event: { actor }, nameOf }: Props) {
  if (actor.id === null) {
    return 'the platform';
  }
  // What it was called then: agents are renamed, and deleted.
  const name = actor.name ?? nameOf(actor.id);
  return (
    <>
      {actor.type === 'agent' && name !== null ? 'agent ' : ''}
      {name === null ? (
        <Text span inherit c="dimmed">
          {actor.type === 'agent' ? 'a deleted agent' : 'a former member'}
        </Text>
      ) : (
        <VisibleText text={name} />
      )}
    </>
  );
}
