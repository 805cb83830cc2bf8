/** A definition that waits, beside the accepted one. */
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ToolDifference } from '../../../api/types.ts';
import { readPair } from './definition-text.ts';
import { CutNote, subjectOf } from './definition-view.tsx';
import { LineDiff, WordDiff } from './diff-view.tsx';

type Accepted = NonNullable<ToolDifference['accepted']>;

export function DefinitionDiff({ difference, accepted }: { difference: ToolDifference; accepted: Accepted }) {
  const { before, after } = readPair(difference.part, accepted, difference);
  const subject = subjectOf(difference);
  const isCut = accepted.is_cut || difference.is_cut;
  const isProseSame = before.prose === after.prose;
  const areFieldsSame = before.fields === after.fields;
  return (
    <Stack gap="xs">
      {isProseSame ? null : (
        <Changed what={difference.part === 'instructions' ? 'Instructions' : 'Description'}>
          <WordDiff label={`Changed text of ${subject}`} before={before.prose} after={after.prose} />
        </Changed>
      )}
      {areFieldsSame ? null : (
        <Changed what={isCut ? 'Definition' : 'Other fields'}>
          <LineDiff label={`Changed fields of ${subject}`} before={before.fields} after={after.fields} />
        </Changed>
      )}
      <Text size="sm" c="dimmed">
        {unchangedText({ isCut, isProseSame, areFieldsSame, part: difference.part })}
      </Text>
      {isCut ? <CutNote isEmpty={accepted.text === '' || difference.text === ''} /> : null}
    </Stack>
  );
}

function unchangedText({
  isCut,
  isProseSame,
  areFieldsSame,
  part,
}: {
  isCut: boolean;
  isProseSame: boolean;
  areFieldsSame: boolean;
  part: ToolDifference['part'];
}): string {
  if (isProseSame && areFieldsSame) {
    return 'What is shown of them is the same: they differ in what is not.';
  }
  if (isCut || part === 'instructions') {
    return '';
  }
  return isProseSame ? 'The description is the same.' : areFieldsSame ? 'All other fields are the same.' : '';
}

function Changed({ what, children }: { what: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {what}
      </Text>
      {children}
    </div>
  );
}
