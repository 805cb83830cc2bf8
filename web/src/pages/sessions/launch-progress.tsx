import { Card, Group, List, Loader, Text, Title } from '@mantine/core';
import { durationText } from '../../text/time-text.ts';
import { type LaunchStep, launchDurationMs, launchSteps } from './launch-steps.ts';
import { isSibling } from './process-text.ts';
import type { TranscriptEvent } from './session-event-type.ts';
import { useProcesses } from './use-processes.ts';

const marks: Record<LaunchStep['state'], string> = { done: '✓', current: '', failed: '✗', ahead: '·' };
const colors: Record<LaunchStep['state'], string> = {
  done: 'inherit',
  current: 'inherit',
  failed: 'red',
  ahead: 'dimmed',
};
const words: Record<LaunchStep['state'], string> = {
  done: 'done',
  current: 'in progress',
  failed: 'the session ended here',
  ahead: 'pending',
};

/** The progress of the start, or its outcome. */
export function LaunchProgress({
  sessionId,
  events,
}: {
  sessionId: string;
  events: readonly TranscriptEvent[];
}) {
  const hasSiblings = useProcesses(sessionId).data?.processes.some(isSibling) ?? false;
  const took = launchDurationMs(events);
  const steps = launchSteps(events, hasSiblings);
  return steps.length === 0 ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Launch">
      <Title order={2} size="h5" mb={4}>
        {took === null ? 'Launch' : `Launched in ${durationText(took)}`}
      </Title>
      <List listStyleType="none" spacing={4} size="sm">
        {steps.map(({ label, state, durationMs }) => (
          <List.Item key={label} aria-current={state === 'current' ? 'step' : undefined}>
            <Group gap="xs" wrap="nowrap" c={colors[state]}>
              <Text span w={16} flex="none" ta="center" aria-hidden>
                {state === 'current' ? <Loader size={12} /> : marks[state]}
              </Text>
              <span>{label}</span>
              <Text span size="xs" c={state === 'failed' ? 'red' : 'dimmed'}>
                {durationMs === null || state === 'failed' ? words[state] : durationText(durationMs)}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
    </Card>
  );
}
