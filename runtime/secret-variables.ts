import type { FrozenEnv } from '../contract/session.ts';

/** The names of the variables that hold a secret: what a process writes is shown without their values. */
export const secretVariables = (env: FrozenEnv): string[] =>
  Object.entries(env).flatMap(([name, { kind }]) => (kind === 'secret' ? [name] : []));
