import { Group, Text, Tooltip } from '@mantine/core';
import { answerFaultText } from '../../../../contract/answer-fault.ts';
import type { ToolCall } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CodeText } from '../../components/code-text.tsx';
import { Status } from '../../components/pill.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { durationText } from '../../text/time-text.ts';
import { callOutcomeText } from './call-text.ts';
import { EntryFrame } from './entry-frame.tsx';

/** Their duration is that of a decision. */
const neverMade = new Set<ToolCall['outcome']>(['permission_required', 'refused']);

/** A tool call: which, how it ended, how often in a row, and on which grant it passed. */
export function CallEntry({ call, times = 1 }: { call: ToolCall; times?: number | undefined }) {
  const { slug } = useWorkspace();
  const { label, tone, meaning } = callOutcomeText[call.outcome];
  return (
    <EntryFrame voice="call" who="Tool call" at={call.at}>
      <Group gap="xs">
        <CodeText text={`${call.server}.${call.tool}`} />
        <Tooltip label={meaning}>
          <Status tone={tone}>{label}</Status>
        </Tooltip>
        {times === 1 ? null : (
          <Text span size="xs">
            {times} times
          </Text>
        )}
        {call.reason === null ? null : (
          <Text span size="xs">
            {answerFaultText[call.reason]}
          </Text>
        )}
        {neverMade.has(call.outcome) ? null : (
          <Text span size="xs" c="dimmed">
            {durationText(call.duration_ms)}
          </Text>
        )}
        {call.granted_via === null ? null : (
          <Text span size="xs">
            allowed by{' '}
            <TextLink to={pathOf(slug, 'grants', call.granted_via)}>
              grant {call.granted_via.slice(0, 8)}
            </TextLink>
          </Text>
        )}
      </Group>
    </EntryFrame>
  );
}
