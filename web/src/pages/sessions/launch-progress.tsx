import { Card, Title } from '@mantine/core';
import { StepList } from '../../components/step-list.tsx';
import { durationText } from '../../text/time-text.ts';
import { launchDurationMs, launchSteps } from './launch-steps.ts';
import { isSibling } from './process-text.ts';
import type { TranscriptEvent } from './session-event-type.ts';
import { useProcesses } from './use-processes.ts';

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
      <StepList steps={steps} failed="the session ended here" />
    </Card>
  );
}
