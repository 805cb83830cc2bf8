/** Steps one after the other: what is done, what goes on, and where it ended. */
import { Group, List, Loader, Text } from '@mantine/core';
import { durationText } from '../text/time-text.ts';

export interface Step {
  label: string;
  state: 'done' | 'current' | 'failed' | 'ahead';
  /** How long it took, or has taken so far, in ms; null where that is not known. */
  durationMs: number | null;
}

const marks: Record<Step['state'], string> = { done: '✓', current: '', failed: '✗', ahead: '·' };
const colors: Record<Step['state'], string> = {
  done: 'inherit',
  current: 'inherit',
  failed: 'red',
  ahead: 'dimmed',
};

/** `failed`: what is said of a step in which it ended. */
export function StepList({ steps, failed }: { steps: readonly Step[]; failed: string }) {
  const words: Record<Step['state'], string> = {
    ...{ done: 'done', current: 'in progress', failed, ahead: 'pending' },
  };
  return (
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
  );
}
