/** The headers of a static credential. Pure. */
import type { RemoteHeader } from '../../contract/remote-server.ts';

export interface StaticCredential {
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The values of their variables. */
  secrets: readonly string[];
}

const fieldValue = /^[\t\x20-\x7e]*$/;

/**
 * A header whose variable is unset or empty is left out. Throws an Error that names the variable, but not its
 * value, when that cannot be in a header.
 */
export function composeHeaders(
  headers: readonly RemoteHeader[],
  env: Readonly<Record<string, string | undefined>>,
): StaticCredential {
  const set = headers.flatMap(({ name, prefix, variable }) => {
    const value = env[variable] ?? '';
    if (!fieldValue.test(value)) {
      throw new Error(
        `the variable ${variable} holds characters that no header may have, such as a line break`,
      );
    }
    return value === '' ? [] : [{ name: name.toLowerCase(), value: prefix + value, secret: value }];
  });
  return {
    headers: Object.fromEntries(set.map(({ name, value }) => [name, value])),
    secrets: set.map(({ secret }) => secret),
  };
}
