import type { ModelEndpoint, ModelEndpoints } from '../../contract/model-endpoint.ts';

export const chatEndpoint: ModelEndpoint = {
  name: 'chat',
  dialect: 'chat_completions',
  base_url: 'https://chat.example.com/v1',
  default_max_tokens: 4096,
};

/** What an operator lists: one that speaks Messages, unless a test says otherwise. */
export function testEndpoints(
  base_url = 'https://models.example.com',
  ...others: readonly ModelEndpoint[]
): ModelEndpoints {
  const usual = { name: 'default', dialect: 'messages' as const, base_url, default_max_tokens: 16_384 };
  return new Map([usual, ...others].map((each) => [each.name, each]));
}
