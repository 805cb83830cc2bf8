import { Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ToolDifference } from '../../../api/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Pill } from '../../../components/pill.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { VisibleText } from '../../../components/visible-text.tsx';
import { DefinitionDiff } from './definition-diff.tsx';
import { DefinitionView, subjectOf } from './definition-view.tsx';

/** One definition that waits for an admin. `action` is what an admin can do. */
export function DifferenceCard({
  server,
  difference,
  action,
}: {
  server: string;
  difference: ToolDifference;
  action: ReactNode;
}) {
  const { part, tool, kind, accepted } = difference;
  return (
    <Card withBorder component="li" padding="sm" aria-label={`${labels[kind]}: ${subjectOf(difference)}`}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} miw={0} flex="1 1 16rem">
            <Group gap="xs">
              <Title order={3} size="h5">
                {part === 'instructions' ? (
                  'Instructions of the server'
                ) : (
                  <Code fz="inherit">
                    <VisibleText text={tool} />
                  </Code>
                )}
              </Title>
              <Pill tone={kind === 'new' ? 'run' : 'wait'}>{labels[kind]}</Pill>
            </Group>
            <Text size="sm" c="dimmed" component="div">
              <FirstSeen difference={difference} />
            </Text>
          </Stack>
          {action}
        </Group>
        {accepted === null ? (
          <DefinitionView server={server} definition={difference} />
        ) : (
          <DefinitionDiff difference={difference} accepted={accepted} />
        )}
      </Stack>
    </Card>
  );
}

const labels: Record<ToolDifference['kind'], string> = { new: 'New', changed: 'Changed' };

/** A check has no session, and that of a session is removed with it. */
function FirstSeen({ difference: { seen_at: at, session_id: id } }: { difference: ToolDifference }) {
  const { slug } = useWorkspace();
  return (
    <>
      First seen <RelativeTime at={at} />
      {id === null ? null : (
        <>
          {' '}
          in <TextLink to={pathOf(slug, 'sessions', id)}>session {id.slice(0, 8)}</TextLink>
        </>
      )}
    </>
  );
}

/** `isArmed`: what it accepts has been in sight for a moment. */
export function AcceptButton({
  difference,
  isArmed,
  accepting,
  onAccept,
}: {
  difference: ToolDifference;
  isArmed: boolean;
  /** The ids that are being accepted; undefined when none are. */
  accepting: readonly string[] | undefined;
  onAccept: () => void;
}) {
  const isOwn = accepting?.includes(difference.id) === true;
  return (
    <Button
      loading={isOwn}
      disabled={!isArmed || (accepting !== undefined && !isOwn)}
      onClick={onAccept}
      aria-label={`Accept ${subjectOf(difference)}`}
    >
      Accept
    </Button>
  );
}
