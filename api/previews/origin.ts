/**
 * The origin of a preview that somebody opened: a name below the previews' domain, whose first label is
 * random and known to that browser alone.
 */
import { createHash, randomBytes } from 'node:crypto';

/** 160 bits. */
const labelBytes = 20;
const labelPattern = /^[0-9a-f]{40}$/;

export const createLabel = (): string => randomBytes(labelBytes).toString('hex');

/** What is stored of a label. */
export const labelSha256 = (label: string): Buffer => createHash('sha256').update(label).digest();

/**
 * `platformOrigin` is the platform's own, as the browser that opens the preview sees it:
 * scheme and port are the same.
 */
export function previewUrl(label: string, domain: string, platformOrigin: string): string {
  const url = new URL(platformOrigin);
  url.hostname = `${label}.${domain}`;
  return url.href;
}

const hostPattern = /^([^:]*?)\.?(?::\d{1,5})?$/;

/**
 * Whether a Host header is below the previews' domain, and its label: null in it for a name that can be no
 * preview's. Null for every other host, which is the platform's or nobody's.
 */
export function previewHostOf(host: string, domain: string | null): { label: string | null } | null {
  const name = hostPattern.exec(host.toLowerCase())?.[1];
  if (name === undefined || domain === null || !name.endsWith(`.${domain}`)) {
    return null;
  }
  const label = name.slice(0, -domain.length - 1);
  return { label: labelPattern.test(label) ? label : null };
}
