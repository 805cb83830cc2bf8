/** The endpoints of language models (docs/operations.md#models). */
import * as z from 'zod';
import {
  defaultEndpointName,
  type ModelEndpoint,
  type ModelEndpoints,
  modelEndpoint,
} from '../contract/model-endpoint.ts';
import { jsonList } from './parse.ts';

const rule =
  'must be the address of an endpoint such as https://models.example.com, without a user name, a password, a query or a fragment';

export const modelBaseUrl = z
  .string()
  .refine((text) => endpointOf(text) !== null, rule)
  .default('https://api.anthropic.com');

/** The address in a text; null when it is none, or says more than an address. */
function endpointOf(text: string): URL | null {
  try {
    const url = new URL(text);
    const isPlain = url.username === '' && url.password === '' && !/[?#]/.test(text);
    return /^https?:$/.test(url.protocol) && isPlain ? url : null;
  } catch {
    return null;
  }
}

/** Why an endpoint cannot be used; null when it can. One that speaks plain HTTP is listed as such. */
export function unlistedEndpoint(
  text: string,
  privateHosts: ReadonlyMap<string, 'https' | 'http'>,
): string | null {
  const url = endpointOf(text);
  return url?.protocol === 'http:' && privateHosts.get(url.host) !== 'http'
    ? `must be https, or PRIVATE_MCP_HOSTS has to list http://${url.host}`
    : null;
}

const example = '[{"name":"openai","dialect":"responses","base_url":"https://api.openai.com/v1"}]';

/** By name. */
export const listedModelEndpoints = jsonList(modelEndpoint, example).transform(
  (listed, context): ModelEndpoints => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    const endpoints = new Map(listed.map((each) => [each.name, each]));
    if (endpoints.size < listed.length) {
      return refuse('must not name an endpoint twice');
    }
    const wrong = listed.find(({ base_url }) => endpointOf(base_url) === null);
    return wrong === undefined ? endpoints : refuse(`"${wrong.name}": base_url ${rule}`);
  },
);

/** Of API and worker, which must have the same. */
export const modelEndpointFields = {
  MODEL_BASE_URL: modelBaseUrl.describe(
    'endpoint `default` of language models, asked at `<this>/v1/messages`; a private one is in PRIVATE_MCP_HOSTS too',
  ),
  MODEL_ENDPOINTS: listedModelEndpoints.describe(
    'further endpoints, as JSON: name, dialect, base_url, and which workspaces may use it',
  ),
};

/** All of them: the one of MODEL_BASE_URL speaks Messages. */
export function allModelEndpoints(config: {
  MODEL_BASE_URL: string;
  MODEL_ENDPOINTS: ModelEndpoints;
}): ModelEndpoints {
  const usual: ModelEndpoint = modelEndpoint.parse({
    name: defaultEndpointName,
    dialect: 'messages',
    base_url: config.MODEL_BASE_URL,
  });
  return new Map([[usual.name, usual], ...config.MODEL_ENDPOINTS]);
}
