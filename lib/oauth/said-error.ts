/** The members `error` and `error_description` of an authorization server (RFC 6749 4.1.2.1 and 5.2), as part of a sentence. Pure. */
import { quote } from './quote.ts';
import { repeatsSecret } from './repeated-secret.ts';

export interface SaidError {
  error: string;
  description: string | undefined;
}

/** Both in quotes, or a remark in their place when they repeat one of `secrets`. */
export function quoteError({ error, description }: SaidError, secrets: readonly string[]): string {
  const said = quote(error) + (description === undefined ? '' : `, saying ${quote(description)}`);
  return repeatsSecret(said, secrets)
    ? 'with words that are left out because they repeat a credential'
    : said;
}
