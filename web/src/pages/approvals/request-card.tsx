import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Status } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useExpired } from '../../components/use-expired.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { choiceLabel } from './choices.ts';
import { AskedBy } from './request-chain.tsx';
import { begunName, statusLabel, statusTone, subjectOf } from './request-text.ts';

/** One request in the inbox. */
export function RequestCard({ request, search }: { request: PermissionRequest; search: string }) {
  const { slug } = useWorkspace();
  const { what, name } = subjectOf(request);
  const { status, agent, operator, root_operator: root, may_decide: mine } = request;
  const expired = useExpired(request.expires_at);
  const open = status === 'open' && !expired;
  // The platform closes it in a moment; nothing can be decided now.
  const shown = status === 'open' && expired ? 'expired' : status;
  return (
    <Card withBorder padding="sm" component="li">
      <Group justify="space-between" gap="sm">
        <Stack gap={2} miw={0} flex="1 1 18rem">
          <Text fw={600} component="div">
            <VisibleText text={begunName(agent.name)} /> wants {what} <VisibleText text={begunName(name)} />
          </Text>
          <AskedBy request={request} />
          <Text size="sm" c="dimmed" component="div">
            {choiceLabel[request.scope].toLowerCase()} · driven by{' '}
            <VisibleText text={(operator ?? root)?.name ?? 'no one'} /> ·{' '}
            <TextLink to={pathOf(slug, 'sessions', request.session_id)}>
              session {request.session_id.slice(0, 8)}
            </TextLink>{' '}
            · <RelativeTime at={request.created_at} />
            {open ? (
              <>
                {' '}
                · expires <RelativeTime at={request.expires_at} />
              </>
            ) : null}
          </Text>
        </Stack>
        <Group gap="sm">
          <Status tone={statusTone[shown]} icon={shown === 'expired' ? 'hourglass' : undefined}>
            {open && !mine ? 'Waiting for others' : statusLabel[shown]}
          </Status>
          <Button
            component={Link}
            href={`${pathOf(slug, 'approvals', request.id)}${search}`}
            variant={open && mine ? 'filled' : 'default'}
            aria-label={`${open && mine ? 'Review' : 'View'} the request of ${agent.name} for ${name}`}
          >
            {open && mine ? 'Review' : 'View'}
          </Button>
        </Group>
      </Group>
    </Card>
  );
}
