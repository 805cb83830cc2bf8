/** How far an approval goes: the scope, and whose the grant is where that is a choice. */
import { Radio, Stack, Text } from '@mantine/core';
import type { Ref } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import {
  type Choice,
  choiceLabel,
  choiceMeaning,
  holderLabel,
  holderMeaning,
  holdersOf,
  offeredScopes,
  withScope,
} from './choices.ts';

/** Marks what must have been in sight before anything wider than one call is approved. */
const decides = { 'data-decides': true };

interface ChoiceFieldsProps {
  request: PermissionRequest;
  choice: Choice;
  onChange: (choice: Choice) => void;
  /** On what holds the choice; the chosen options in it are marked `data-decides`. */
  ref?: Ref<HTMLDivElement>;
}

export function ChoiceFields({ request, choice, onChange, ref }: ChoiceFieldsProps) {
  return (
    <Stack gap="xs" ref={ref}>
      <Radio.Group label="How long should it be allowed?" name="scope" value={choice.scope}>
        <Stack gap={6} mt={4}>
          {offeredScopes(request).map((scope) => (
            <Radio
              key={scope}
              value={scope}
              wrapperProps={choice.scope === scope ? decides : {}}
              label={
                <>
                  {choiceLabel[scope]}
                  {scope === request.scope ? (
                    <Text span inherit c="dimmed">
                      {' '}
                      (requested)
                    </Text>
                  ) : null}
                </>
              }
              description={choiceMeaning(request, scope)}
              onChange={() => onChange(withScope(request, choice, scope))}
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
  const holders = holdersOf(request, choice.scope);
  const operatorIsMe = request.operator?.id === me.user.id;
  if (holders.length < 2 || choice.scope === 'once') {
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
            description={holderMeaning({ scope: choice.scope, holder }, { operatorIsMe })}
            onChange={() => onChange({ ...choice, holder })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
