import { readFileSync } from 'node:fs';
import { withSecretFiles } from '../config/secret-files.ts';

/** This process's environment, with the secrets that come as files. Throws ConfigurationError. */
export function readEnvironment(): Record<string, string | undefined> {
  return withSecretFiles(process.env, (path) => readFileSync(path, 'utf8'));
}
