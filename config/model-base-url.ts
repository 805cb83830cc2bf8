/** The endpoint of language models (docs/operations.md#models). */
import * as z from 'zod';

const rule =
  'must be the address of an endpoint such as https://models.example.com, without a user name, a password, a query or a fragment';

export const modelBaseUrl = z
  .url({ protocol: /^https?$/, error: rule })
  .refine((text) => {
    const { username, password, search, hash } = new URL(text);
    return [username, password, search, hash].every((part) => part === '') && !/[?#]/.test(text);
  }, rule)
  .default('https://api.anthropic.com');
