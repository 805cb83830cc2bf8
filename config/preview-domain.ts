/**
 * Where previews are opened: a domain whose names all lead to the API. It has to be another site than the
 * platform's own, so that a browser never takes a page of an agent for one of the platform
 * (docs/previews.md#where-they-are-opened).
 */
import * as z from 'zod';
import { isLoopback, isLoopbackUrl } from './parse.ts';

/** Always this machine, and in a browser each name below it is a site of its own. */
const loopbackDomain = 'localhost';
const hostName = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;
/** A preview's label, its dot and this are a host name, which has 253 characters at most. */
const maxLength = 200;

export const previewDomain = z
  .string()
  .toLowerCase()
  .max(maxLength, `must have ${maxLength} characters at most`)
  .refine(
    (text) =>
      text === loopbackDomain || (hostName.test(text) && /\.[a-z]/.test(text) && !/\.\d+$/.test(text)),
    'must be a domain name such as previews.example.net, without a scheme, a port or "*."',
  );

interface Settings {
  HOST: string;
  PUBLIC_URL?: string | undefined;
  PREVIEW_DOMAIN?: string | undefined;
}

/** The domain of previews, or null where there is none: then none can be made. */
export function previewDomainOf({ HOST, PUBLIC_URL, PREVIEW_DOMAIN }: Settings): string | null {
  if (PREVIEW_DOMAIN !== undefined) {
    return PREVIEW_DOMAIN;
  }
  const isLocal = PUBLIC_URL === undefined ? isLoopback(HOST) : isPlainLoopback(PUBLIC_URL);
  return isLocal ? loopbackDomain : null;
}

/** Not a name below `localhost`, which would be one of the previews' own. */
const isPlainLoopback = (url: string) => isLoopbackUrl(url) && !hostOf(url).endsWith(`.${loopbackDomain}`);

const hostOf = (url: string) => new URL(url).hostname.replace(/\.$/, '');
/** Names of one site share at least these: a registrable domain has two labels or more. */
const lastTwoLabels = (name: string) => name.split('.').slice(-2).join('.');

/**
 * Why previews must not be on this domain beside the platform; null where they may. Domains that share their
 * last two labels are refused, also where a public suffix such as `co.uk` makes them two sites: that needs no
 * list of suffixes, of which browsers might have another.
 */
export function whyNotPreviewDomain(domain: string, publicUrl: string | undefined): string | null {
  if (publicUrl === undefined || !URL.canParse(publicUrl)) {
    return null;
  }
  if (domain === loopbackDomain) {
    return isPlainLoopback(publicUrl)
      ? null
      : 'localhost is the machine of whoever opens a preview: with this PUBLIC_URL it must be a domain that leads here';
  }
  return lastTwoLabels(domain) === lastTwoLabels(hostOf(publicUrl))
    ? 'must be another site than PUBLIC_URL: their last two labels must differ, as those of agents.example.com and previews.example.net do'
    : null;
}
