import { NumberInput, Stack, Text, Textarea } from '@mantine/core';
import { defaultModelLimits } from '../../../../contract/model-access.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { Banner } from '../../components/banner.tsx';
import { EndpointSelect } from '../../components/endpoint-select.tsx';
import { SecretSelect } from '../../components/secret-select.tsx';
import { descriptionOr } from '../../components/unavailable.tsx';
import { numberText } from '../../text/number-text.ts';
import { type AgentFormState, errorText } from './agent-form-type.ts';
import { spokenBy } from './run-values.ts';
import { grantOfSecret, useAgentGrants } from './use-agent-grants.ts';

/** Whether the agent may ask a language model, with which key, and how much. `agentId`: null of a new one. */
export function ModelAccessFields({ form, agentId }: { form: AgentFormState; agentId: string | null }) {
  const here = useAvailability();
  const { key, endpoint } = form.values.modelAccess;
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
          <EndpointSelect
            value={endpoint}
            dialects={spokenBy(form.values.run)}
            onChange={(name) => form.setFieldValue('modelAccess.endpoint', name)}
            error={errorText(form.errors['modelAccess.endpoint'])}
          />
          {agentId === null ? (
            <NotGranted />
          ) : (
            <KeyGrant agentId={agentId} secretName={key} endpoint={endpoint} />
          )}
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

/** A warning only as long as the agent has no grant of the key. */
function KeyGrant({ agentId, ...wanted }: { agentId: string; secretName: string; endpoint: string }) {
  const grants = useAgentGrants(agentId, 'model_key').data;
  if (grants === undefined) {
    return null;
  }
  return grantOfSecret(grants, wanted) === undefined ? (
    <NotGranted />
  ) : (
    <Text size="sm" c="dimmed">
      The agent has the grant to use this key.
    </Text>
  );
}

const NotGranted = () => (
  <Banner role="note" tone="wait">
    Sessions start only once an admin has granted the key on the agent’s page.
  </Banner>
);

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
