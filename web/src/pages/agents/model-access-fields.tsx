import { Alert, NumberInput, Stack, Textarea } from '@mantine/core';
import { defaultModelLimits } from '../../../../contract/model-access.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { SecretSelect } from '../../components/secret-select.tsx';
import { descriptionOr } from '../../components/unavailable.tsx';
import { numberText } from '../../text/number-text.ts';
import { type AgentFormState, errorText } from './agent-form-type.ts';

/** Whether the agent may ask a language model, with which key, and how much. */
export function ModelAccessFields({ form }: { form: AgentFormState }) {
  const here = useAvailability();
  const { key } = form.values.modelAccess;
  return (
    <Stack gap="sm">
      <SecretSelect
        label="Secret with the API key"
        description={descriptionOr(
          'The platform sends it to the model’s provider. The agent cannot read it. Leave empty for no access.',
          here?.model_access,
        )}
        value={key}
        onChange={(name) => form.setFieldValue('modelAccess.key', name)}
        error={errorText(form.errors['modelAccess.key'])}
        suggestedName="MODEL_API_KEY"
      />
      {key === '' ? null : (
        <>
          <Alert role="note" color="orange">
            Sessions start only once an admin has granted the key on the agent’s page.
          </Alert>
          <Textarea
            label="Models"
            description="Names of models that the agent may ask, one per line. Leave empty for any."
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps('modelAccess.models')}
          />
          <Limit form={form} field="requests" label="Requests per session" />
          <Limit form={form} field="tokens" label="Tokens per session" />
        </>
      )}
    </Stack>
  );
}

function Limit({
  form,
  field,
  label,
}: {
  form: AgentFormState;
  field: 'requests' | 'tokens';
  label: string;
}) {
  return (
    <NumberInput
      label={label}
      description={`Leave empty for ${numberText(defaultModelLimits[`${field}_per_session`])}.`}
      min={1}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(`modelAccess.${field}`)}
    />
  );
}
