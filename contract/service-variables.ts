/** What a service is told about the port on which it is asked. */
import { referencedSecretName } from './names.ts';
import type { FrozenEnv } from './session.ts';

export const portVariable = 'PORT';
export const defaultServicePort = 8080;

/**
 * The port of a service with these plain variables: `PORT` where it is one that needs no privilege, else the
 * default; null for another text.
 */
export function servicePortOf(port: string | undefined): number | null {
  if (port === undefined) {
    return defaultServicePort;
  }
  const number = /^\d{4,5}$/.test(port) ? Number(port) : 0;
  return number >= 1024 && number <= 65_535 ? number : null;
}

const isNoPort = 'must be a port from 1024 to 65535';
const isSecret = 'must be a plain value, and not a secret';

/**
 * What is wrong with the `PORT` that somebody gives a service, said of it; null for one
 * that is usable, or none.
 */
export function givenPortProblem(given: string | undefined): string | null {
  if (given !== undefined && referencedSecretName(given) !== null) {
    return isSecret;
  }
  return servicePortOf(given) === null ? isNoPort : null;
}

/** The port of a service with this environment, or what is wrong with its `PORT`, said of it. */
export function frozenServicePort(
  env: FrozenEnv,
): { port: number; problem: null } | { port: null; problem: string } {
  const given = env[portVariable];
  if (given?.kind === 'secret') {
    return { port: null, problem: isSecret };
  }
  const port = servicePortOf(given?.value);
  return port === null ? { port, problem: isNoPort } : { port, problem: null };
}
