/** How far an approval goes: one choice of a list, narrowest first. */
import { Radio, Stack, TextInput } from '@mantine/core';
import { serverNowMs } from '../../api/server-time.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import { choiceMeaning } from './choice-text.ts';
import {
  type Choice,
  dayAfter,
  dayOf,
  isAsRequested,
  isComplete,
  isWide,
  offeredChoices,
  reachLabel,
} from './choices.ts';
import { Sentence } from './sentence.tsx';

/**
 * Marks what must have been in sight before anything wider than one known call is approved; for exactly
 * one call, that is the call.
 */
const decides = { 'data-decides': true };

interface ChoiceFieldsProps {
  request: PermissionRequest;
  choice: Choice;
  onChange: (choice: Choice) => void;
}

export function ChoiceFields({ request, choice, onChange }: ChoiceFieldsProps) {
  const whose = { operatorIsMe: request.operator?.id === useMe().user.id };
  const offered = offeredChoices(request);
  return (
    <Radio.Group label="How far to allow it" name="reach" value={choice.reach}>
      <Stack gap={6} mt={4}>
        {offered.map((option, index) => {
          const { reach } = option;
          const isChosen = choice.reach === reach;
          return (
            <div key={reach} className="reach" data-chosen={isChosen}>
              <Radio
                value={reach}
                wrapperProps={isChosen && isWide(request, reach) ? decides : {}}
                label={
                  <>
                    {reachLabel(request, option, whose)}
                    {index === 0 && offered.length > 1 ? <Tag>narrowest</Tag> : null}
                    {isAsRequested(request, reach) ? <Tag>asked for</Tag> : null}
                  </>
                }
                description={<Sentence pieces={choiceMeaning(request, option, whose)} />}
                onChange={() =>
                  onChange(reach === 'date' ? { ...option, lastDay: dayAfter(serverNowMs()) } : option)
                }
              />
              {reach === 'date' && isChosen ? (
                <LastDay choice={choice} onChange={(lastDay) => onChange({ ...choice, lastDay })} />
              ) : null}
            </div>
          );
        })}
      </Stack>
    </Radio.Group>
  );
}

function Tag({ children }: { children: string }) {
  return (
    <>
      {' '}
      <span className="reach-tag">{children}</span>
    </>
  );
}

function LastDay({ choice, onChange }: { choice: Choice; onChange: (day: string) => void }) {
  const nowMs = serverNowMs();
  return (
    <TextInput
      className="reach-day"
      type="date"
      label="Last day"
      min={dayOf(nowMs)}
      error={isComplete(choice, nowMs) ? null : 'Choose today or a day to come.'}
      value={choice.lastDay ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
