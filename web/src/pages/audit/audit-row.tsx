import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useId, useState } from 'react';
import type { AuditEvent } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named, PersonAvatar } from '../../components/avatar.tsx';
import { Status } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { AuditDetails } from './audit-details.tsx';
import { aboutOf, linksOf, mainLinkOf, outcomeOf, verbOf } from './audit-text.ts';

interface Props {
  event: AuditEvent;
  nameOf: (id: string) => string | null;
}

export function AuditRow({ event, nameOf }: Props) {
  const { slug } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const detailsId = useId();
  const outcome = outcomeOf(event);
  const links = linksOf(slug, event);
  const main = mainLinkOf(slug, event);
  return (
    <>
      <tr>
        <td>
          <RelativeTime at={event.at} />
        </td>
        <td>
          <Actor event={event} nameOf={nameOf} />
        </td>
        <td>
          {verbOf(event)}{' '}
          {main === undefined ? (
            <VisibleText text={aboutOf(event)} />
          ) : (
            <TextLink to={main.to}>
              <VisibleText text={aboutOf(event)} />
            </TextLink>
          )}
        </td>
        <td>{outcome === null ? null : <Status tone={outcome.tone}>{outcome.word}</Status>}</td>
        <td>
          <Group gap="xs">
            {links.map(({ label, to }) => (
              <TextLink key={label} to={to}>
                {label}
              </TextLink>
            ))}
          </Group>
        </td>
        <td>
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={opened}
            aria-controls={detailsId}
            onClick={() => setOpened(!opened)}
          >
            {opened ? 'Hide' : 'Details'}
          </Button>
        </td>
      </tr>
      {opened ? (
        <tr id={detailsId}>
          <td colSpan={6}>
            <AuditDetails event={event} />
          </td>
        </tr>
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
      {name === null ? (
        <Text span inherit c="dimmed">
          {actor.type === 'agent' ? 'a deleted agent' : 'a former member'}
        </Text>
      ) : (
        <Named
          avatar={actor.type === 'agent' ? <AgentAvatar name={name} /> : <PersonAvatar name={name} />}
          title={`${actor.type === 'agent' ? 'agent ' : ''}${name}`}
        >
          {actor.type === 'agent' ? <VisuallyHidden>agent </VisuallyHidden> : null}
          <VisibleText text={name} />
        </Named>
      )}
    </>
  );
}
