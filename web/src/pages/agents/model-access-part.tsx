import { Stack } from '@mantine/core';
import { referencedSecretName } from '../../../../contract/names.ts';
import type { Agent } from '../../api/types.ts';
import { CodeText } from '../../components/code-text.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { numberText } from '../../text/number-text.ts';
import { Part } from './form-part.tsx';
import { ModelUsageByDay } from './model-usage-by-day.tsx';
import { SecretGrant } from './secret-grant.tsx';

/** Of an agent that asks a language model through the platform: with which key, and how much. */
export function ModelAccessPart({ agent }: { agent: Agent }) {
  const access = agent.model_access;
  if (access === null) {
    return null;
  }
  const key = referencedSecretName(access.api_key) ?? '';
  return (
    <Part
      title="Model access"
      description="A language model that the agent asks through the platform, which keeps the key and counts."
    >
      <FactList label="Model access">
        <Fact name="Key">
          <Stack gap={4} align="flex-start">
            <CodeText text={access.api_key} />
            <SecretGrant
              agent={agent}
              type="model_key"
              secretName={key}
              endpoint={access.endpoint}
              grantedText="granted: the platform asks the model with it"
              action={`Let the agent use ${key}`}
              confirmLabel="Let the agent use it"
            >
              Every session of <VisibleText text={agent.name} />, whoever starts it, may send requests to the
              model at the endpoint {access.endpoint} with this key from now on, within its limits. The agent
              cannot read the key.
            </SecretGrant>
          </Stack>
        </Fact>
        <Fact name="Endpoint">{access.endpoint}</Fact>
        <Fact name="Models">{access.models.length === 0 ? 'any' : access.models.join(', ')}</Fact>
        <Fact name="Requests per session">{numberText(access.requests_per_session)}</Fact>
        <Fact name="Tokens per session">{numberText(access.tokens_per_session)}</Fact>
      </FactList>
      <ModelUsageByDay agent={agent} />
    </Part>
  );
}
