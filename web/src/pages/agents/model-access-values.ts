/** An agent's access to a language model as a form holds it, and as the API takes it. */
import { defaultModelLimits } from '../../../../contract/model-access.ts';
import { defaultEndpointName } from '../../../../contract/model-endpoint.ts';
import { referencedSecretName } from '../../../../contract/names.ts';
import type { Agent } from '../../api/types.ts';
import { linesOf } from '../../text/lines.ts';

export interface ModelAccessValues {
  /** The name of the secret; empty without access. */
  key: string;
  /** The name of the endpoint. */
  endpoint: string;
  /** One model a line; empty for any. */
  models: string;
  /** Empty for the default. */
  requests: number | '';
  tokens: number | '';
}

export const noModelAccess: ModelAccessValues = {
  key: '',
  endpoint: defaultEndpointName,
  models: '',
  requests: '',
  tokens: '',
};

export function modelAccessValuesOf(access: Agent['model_access']): ModelAccessValues {
  return access === null
    ? noModelAccess
    : {
        key: referencedSecretName(access.api_key) ?? '',
        endpoint: access.endpoint,
        models: access.models.join('\n'),
        requests: access.requests_per_session,
        tokens: access.tokens_per_session,
      };
}

export function modelAccessOf({ key, endpoint, ...given }: ModelAccessValues): Agent['model_access'] {
  const { models, requests, tokens } = given;
  const { requests_per_session, tokens_per_session } = defaultModelLimits;
  return key === ''
    ? null
    : {
        endpoint,
        api_key: `\${${key}}`,
        models: linesOf(models),
        requests_per_session: requests === '' ? requests_per_session : requests,
        tokens_per_session: tokens === '' ? tokens_per_session : tokens,
      };
}
