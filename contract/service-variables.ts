/** What a service is told about the port on which it is asked. */
import type { FrozenEnv } from './session.ts';

export const portVariable = 'PORT';
export const defaultServicePort = 8080;

/** The port of a service with these plain variables: `PORT` where it is one that needs no privilege, else the default; null for another text. */
export function servicePortOf(port: string | undefined): number | null {
  if (port === undefined) {
    return defaultServicePort;
  }
  const number = /^\d{4,5}$/.test(port) ? Number(port) : 0;
  return number >= 1024 && number <= 65_535 ? number : null;
}

/** The port of a service with this environment, or what is wrong with its `PORT`, said of it. */
export function frozenServicePort(
  env: FrozenEnv,
): { port: number; problem: null } | { port: null; problem: string } {
  const given = env[portVariable];
  if (given?.kind === 'secret') {
    return { port: null, problem: 'must be a plain value, and not a secret' };
  }
  const port = servicePortOf(given?.value);
  return port === null ? { port, problem: 'must be a port from 1024 to 65535' } : { port, problem: null };
}
