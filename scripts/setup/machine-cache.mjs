import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Older than the product's name: another one would have every machine build its Kubernetes
 * and its base image again.
 */
const cacheName = 'agent-platform';

/** A path in the cache that all clones on this machine share. */
export const machineCache = (environment, ...path) =>
  join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), cacheName, ...path);

/** An image that was built here, which an engine keeps in that cache. */
export const cachedImage = (name) => `localhost/${cacheName}/${name}`;

/**
 * Where an engine whose storage is in that cache runs. Podman refuses storage that another
 * directory was used with.
 */
export const engineDirectory = (engine) => `/run/${cacheName}-${engine}`;
