import { homedir } from 'node:os';
import { join } from 'node:path';

/** A path in the cache that all clones on this machine share. */
export const machineCache = (environment, ...path) =>
  join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-platform', ...path);
