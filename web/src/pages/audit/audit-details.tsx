import { Group, Stack, Text } from '@mantine/core';
import type { AuditEvent } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { WhyCall } from '../../components/why-call.tsx';
import { absoluteTime } from '../../text/time-text.ts';
import { onlyWith } from './audit-filter.ts';

/** The whole event: exact time, ids, data as they are stored, and links to similar events. */
export function AuditDetails({ event }: { event: AuditEvent }) {
  const { slug } = useWorkspace();
  const { actor, resource } = event;
  return (
    <Stack gap="xs" pb="xs">
      <Group gap="md">
        <Text size="sm">{absoluteTime(event.at)}</Text>
        <Text size="sm" component="div">
          {event.event} <CopyableId id={event.id} />
        </Text>
        {actor.id === null ? null : (
          <Text size="sm" component="div">
            by the {actor.type} <CopyableId id={actor.id} />
          </Text>
        )}
        <Text size="sm" component="div">
          {resource.type} <VisibleText text={resource.name} /> <CopyableId id={resource.id} />
        </Text>
      </Group>
      {event.event === 'session.mcp.tool_called' && event.session_id !== null ? (
        <WhyCall sessionId={event.session_id} callId={event.id} />
      ) : null}
      <pre className="text-block" style={{ margin: 0, maxHeight: 320, overflow: 'auto' }}>
        <VisibleText text={JSON.stringify(event.data, null, 2)} />
      </pre>
      <Group gap="md" fz="sm">
        <TextLink to={onlyWith(slug, { event: event.event })}>Filter by this event</TextLink>
        <TextLink to={onlyWith(slug, { resource: resource.id })}>Filter by this resource</TextLink>
        {actor.id === null ? null : (
          <TextLink to={onlyWith(slug, { actor: actor.id })}>Filter by this actor</TextLink>
        )}
      </Group>
    </Stack>
  );
}
