/** One entry of the transcript: who, when, what. */
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { VisibleText } from '../../components/visible-text.tsx';
import { absoluteTime, clockTime } from '../../text/time-text.ts';

export type Voice = 'agent' | 'other-agent' | 'person' | 'platform' | 'call';

export function EntryFrame({
  voice,
  who,
  at,
  children,
}: {
  voice: Voice;
  who: ReactNode;
  /** Null for what still happens. */
  at: string | null;
  children: ReactNode;
}) {
  return (
    <li className={`entry entry-${voice}`}>
      <Group gap="xs" wrap="nowrap" align="baseline" justify="space-between">
        <Text size="xs" fw={600} c="dimmed" component="div">
          {who}
        </Text>
        {at === null ? null : (
          <Text size="xs" c="dimmed" component="time" dateTime={at} title={absoluteTime(at)} flex="none">
            {clockTime(at)}
          </Text>
        )}
      </Group>
      <Text size="sm" component="div">
        {children}
      </Text>
    </li>
  );
}

/**
 * Who speaks, of the agent of another session: never to be taken for a person, nor for the agent of this one.
 */
export function OtherAgent({ name }: { name: string }) {
  return (
    <>
      <VisibleText text={name} /> (agent of another session)
    </>
  );
}
