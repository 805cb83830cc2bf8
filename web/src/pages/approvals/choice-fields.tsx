/** How far an approval goes: the scope, and whose the grant is where that is a choice. */
import { Radio, Stack, Text } from '@mantine/core';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import {
  type Choice,
  choiceMeaning,
  holderLabel,
  holderMeaning,
  holdersOf,
  isAsRequested,
  isSingle,
  offeredReaches,
  reachLabel,
  withReach,
} from './choices.ts';

/**
 * Marks what must have been in sight before anything wider than one call is approved; for exactly
 * one call, that is the call.
 */
const decides = { 'data-decides': true };

interface ChoiceFieldsProps {
  request: PermissionRequest;
  choice: Choice;
  onChange: (choice: Choice) => void;
}

export function ChoiceFields({ request, choice, onChange }: ChoiceFieldsProps) {
  return (
    <Stack gap="xs">
      <Radio.Group label="How long should it be allowed?" name="reach" value={choice.reach}>
        <Stack gap={6} mt={4}>
          {offeredReaches(request).map((reach) => (
            <Radio
              key={reach}
              value={reach}
              wrapperProps={choice.reach === reach && !isSingle(reach) ? decides : {}}
              label={
                <>
                  {reachLabel(request, reach)}
                  {isAsRequested(request, reach) ? (
                    <Text span inherit c="dimmed">
                      {' '}
                      (requested)
                    </Text>
                  ) : null}
                </>
              }
              description={choiceMeaning(request, reach)}
              onChange={() => onChange(withReach(request, choice, reach))}
            />
          ))}
        </Stack>
      </Radio.Group>
      <HolderField request={request} choice={choice} onChange={onChange} />
    </Stack>
  );
}

/** For a single call it makes no difference whose the grant is: it is bound to the session that asked. */
function HolderField({ request, choice, onChange }: ChoiceFieldsProps) {
  const me = useMe();
  const holders = holdersOf(request, choice.reach);
  const operatorIsMe = request.operator?.id === me.user.id;
  if (holders.length < 2 || isSingle(choice.reach)) {
    return null;
  }
  return (
    <Radio.Group label="Who is it for?" name="holder" value={choice.holder}>
      <Stack gap="xs" mt={4}>
        {holders.map((holder) => (
          <Radio
            key={holder}
            value={holder}
            wrapperProps={choice.holder === holder ? decides : {}}
            label={holderLabel(holder, { operatorIsMe })}
            description={holderMeaning({ reach: choice.reach, holder }, { operatorIsMe })}
            onChange={() => onChange({ ...choice, holder })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
