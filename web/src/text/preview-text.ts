/** Previews in words. Pure. */

import type { Preview } from '../api/types.ts';
import { sizeText } from './size-text.ts';
import type { Tone } from './tone.ts';

/** "service web", or "2 files, 1.5 KiB". */
export function contentText({
  service,
  files,
  size_bytes,
}: {
  service: string | null;
  files: number;
  size_bytes: number;
}): string {
  return service === null
    ? `${files === 1 ? '1 file' : `${files} files`}, ${sizeText(size_bytes)}`
    : `service ${service}`;
}

/**
 * Of a preview of a service: `is_live` is false as soon as nobody can open it, which is before
 * the service has stopped.
 */
export type ServedPreview = Pick<Preview, 'service_status' | 'is_live'>;
type ServiceStatus = NonNullable<Preview['service_status']>;

/** Its service runs no more, and no other one is started for it. */
export const hasStopped = ({ service_status: status }: Pick<Preview, 'service_status'>): boolean =>
  status?.state === 'failed' || status?.state === 'stopped';

/** One word for a person, who need not tell a workload that was asked for from one that is being started. */
export function serviceStateWord({ state }: ServiceStatus, isLive: boolean): string {
  if (state === 'failed' || state === 'stopped') {
    return state;
  }
  return isLive ? (state === 'running' ? 'running' : 'starting') : 'stopping';
}

export const serviceStateTone = ({ state }: ServiceStatus, isLive: boolean): Tone =>
  state === 'failed' ? 'fail' : !isLive || state === 'stopped' ? 'idle' : state === 'running' ? 'ok' : 'run';

/** How a preview that can no longer be opened came to its end. */
export function overWord(preview: Pick<Preview, 'ended_at' | 'expires_at' | 'service_status'>): string {
  const { ended_at, expires_at, service_status: status } = preview;
  if (status?.state === 'failed') {
    return 'failed';
  }
  return ended_at !== null && Date.parse(ended_at) < Date.parse(expires_at) ? 'ended' : 'expired';
}

/** When it did. */
export const overAt = ({ ended_at, expires_at }: Pick<Preview, 'ended_at' | 'expires_at'>): string =>
  ended_at ?? expires_at;

/** While a change is expected soon, and while nothing but a failure is. The stream tells neither. */
const changingMs = 2000;
const runningMs = 15_000;

/**
 * The pause before these are read again, as their services change without a word from the
 * stream; false where none can.
 */
export function servicesChangeWithinMs(previews: readonly ServedPreview[] | undefined): number | false {
  const isIn = (...states: ServiceStatus['state'][]) =>
    previews?.some(({ service_status: status }) => status !== null && states.includes(status.state));
  const isStopping = previews?.some(
    ({ service_status: status, is_live }) => status?.state === 'running' && !is_live,
  );
  return isIn('pending', 'starting') || isStopping ? changingMs : isIn('running') ? runningMs : false;
}
