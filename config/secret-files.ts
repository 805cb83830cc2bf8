/**
 * Secrets as files, as container engines and clusters hand them over: `MASTER_KEYS_FILE` names the
 * file that holds MASTER_KEYS.
 */
import { ConfigurationError } from './parse.ts';

/** Variables that may come from a file: those that must not show up in an environment listing. */
const secretVariables = [
  'DATABASE_URL',
  'MASTER_KEYS',
  'SESSION_KEY_SEED',
  'APPROVAL_PRIVATE_KEY',
  'APPROVAL_PUBLIC_KEY',
  'COOKIE_KEY',
  'OIDC_CLIENT_SECRET',
  'NPM_REGISTRY_TOKEN',
  'PYPI_INDEX_TOKEN',
  'HTTPS_PROXY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
];

/** Whether `<name>_FILE` is read as well. */
export const isSecret = (name: string): boolean => secretVariables.includes(name);

/**
 * Adds the contents of files to the environment; a variable that is set itself wins. Line ends
 * around a file's content are trimmed. Throws ConfigurationError that names every unreadable
 * file, never a file's content.
 */
export function withSecretFiles(
  environment: Record<string, string | undefined>,
  readFile: (path: string) => string,
): Record<string, string | undefined> {
  const result = { ...environment };
  const problems: string[] = [];
  for (const name of secretVariables) {
    const path = environment[`${name}_FILE`];
    if (path === undefined || path === '' || (environment[name] ?? '') !== '') {
      continue;
    }
    try {
      result[name] = readFile(path).trim();
    } catch {
      problems.push(`  ${name}_FILE: ${path} cannot be read`);
    }
  }
  if (problems.length > 0) {
    throw new ConfigurationError(`The configuration is not usable:\n${problems.join('\n')}`);
  }
  return result;
}
