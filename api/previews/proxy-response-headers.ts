/**
 * What of a service's answer reaches the visitor's browser. Pure. The body and what describes it pass. What
 * tells the browser how to treat the origin, what to keep, or where to go does not: that is the platform's to
 * say (`headers.ts`), and the answer of an agent's service says it for itself.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { commonPreviewHeaders, serviceHeaders, servicePolicy } from './headers.ts';

const dropped = new Set([
  // Of one connection.
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Cookies and other things that a browser keeps, of this host or of all of its domain.
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'set-login',
  'activate-storage-access',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  'alt-svc',
  'alt-used',
  'service-worker-allowed',
  'use-as-dictionary',
  'expires',
  'pragma',
  'age',
  // Policies.
  'content-security-policy-report-only',
  'x-content-security-policy',
  'x-webkit-csp',
  'feature-policy',
  'permissions-policy-report-only',
  'document-policy',
  'document-policy-report-only',
  'document-isolation-policy',
  'document-isolation-policy-report-only',
  'require-document-policy',
  'integrity-policy',
  'integrity-policy-report-only',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
  'timing-allow-origin',
  'supports-loading-mode',
  // Where a browser sends reports, looks for more, asks for a password, or goes next.
  // `Location` is looked at by itself.
  'refresh',
  'report-to',
  'reporting-endpoints',
  'nel',
  'speculation-rules',
  'no-vary-search',
  'accept-ch',
  'accept-ch-lifetime',
  'critical-ch',
  'delegate-ch',
  'observe-browsing-topics',
  'www-authenticate',
  'proxy-authenticate',
  'proxy-authentication-info',
  'authentication-info',
  'location',
  // What a proxy in front of the platform obeys: an agent must not have it send a file of
  // its own, or keep a copy.
  'x-sendfile',
  'x-lighttpd-send-file',
  'x-lighttpd-send-tempfile',
  'x-reproxy-url',
  'x-reproxy-file',
  'edge-control',
  'cache-tag',
  'edge-cache-tag',
  'surrogate-control',
  'surrogate-key',
  'x-request-id',
]);

/** Whole families of the same kinds. */
const droppedFamilies = [
  'access-control-',
  'cross-origin-',
  'sec-',
  'secure-session-',
  'attribution-reporting-',
  'ad-auction-',
  'x-accel-',
  'x-litespeed-',
  'x-envoy-',
  'x-forwarded-',
  'x-service-',
];

/** All that the platform says itself, whatever it is. */
const own = new Set(
  [...Object.keys(commonPreviewHeaders), ...Object.keys(serviceHeaders), 'Content-Security-Policy'].map(
    (name) => name.toLowerCase(),
  ),
);

/**
 * Cache-Control for a network in front alone, which counts there in place of ours: each has a
 * name of its own before it.
 */
const isForCaches = (name: string) => name.endsWith('cdn-cache-control');

const passes = (name: string) =>
  !dropped.has(name) &&
  !own.has(name) &&
  !isForCaches(name) &&
  !droppedFamilies.some((family) => name.startsWith(family));

export interface ServiceAnswer {
  statusCode: number;
  headers: IncomingHttpHeaders;
}

export interface ServiceAnswerOptions {
  /** The preview's own. */
  origin: string;
  /** On which the service listens. */
  port: number;
  /** Of the request. */
  target: string;
}

/** The headers for the browser, or null for an answer that must not reach it. */
export function visitorHeaders(
  { statusCode, headers }: ServiceAnswer,
  { origin, port, target }: ServiceAnswerOptions,
): OutgoingHttpHeaders | null {
  const location = headers.location === undefined ? undefined : ownLocation(headers.location, port, target);
  // Informational answers have no place here (101 was not asked for), and each part of a mixed one has
  // headers of its own, which nobody looks at.
  const isMixed = /^\s*multipart\/(x-mixed-replace|mixed)\b/i.test(headers['content-type'] ?? '');
  if (statusCode < 200 || location === null || isMixed) {
    return null;
  }
  const passed = Object.entries(headers).filter(([name]) => passes(name));
  return {
    ...Object.fromEntries(passed),
    ...serviceHeaders,
    'Content-Security-Policy': servicePolicy(origin),
    // Events reach the page as they are sent, also through a proxy that would collect them.
    'X-Accel-Buffering': 'no',
    ...(location === undefined ? {} : { Location: location }),
  };
}

/** The handshake of a WebSocket, of which no other header counts; null when it is none. */
export function visitorHandshake({ statusCode, headers }: ServiceAnswer): OutgoingHttpHeaders | null {
  if (statusCode !== 101 || headers.upgrade?.toLowerCase() !== 'websocket') {
    return null;
  }
  const passed = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const;
  return {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    ...Object.fromEntries(
      passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
  };
}

/**
 * A path at the service, for a redirect that stays there; null for any other. What is returned is what the
 * parser of URLs made of it, which browsers share, so nothing in it is read differently there. A path that
 * begins with two slashes would be another host.
 */
export function ownLocation(location: string, port: number, target: string): string | null {
  const base = `http://localhost:${port}`;
  const url = URL.canParse(location, base + target) ? new URL(location, base + target) : null;
  const owns = [base, `http://127.0.0.1:${port}`];
  // `blob:` addresses have the origin that is written in them.
  const isOwn = url !== null && url.protocol === 'http:' && owns.includes(url.origin);
  return isOwn && url.username === '' && url.password === '' && !url.pathname.startsWith('//')
    ? url.pathname + url.search + url.hash
    : null;
}
