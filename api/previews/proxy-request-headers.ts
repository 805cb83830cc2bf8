/**
 * What of a visitor's request reaches the service of a preview. Pure. The service is an agent's, and nobody
 * checked it: it is told what a page of its own asks for, and nothing of the person or of the platform. So
 * this is a list of what passes and not of what is kept back: a proxy in front of the platform may add an
 * identity under any name (`Cf-Access-*`, `X-Auth-Request-*`, `X-Forwarded-For`, `Remote-User`, a token of a
 * mesh), and cookies, `Authorization`, `Origin`, `Referer` and client hints are the browser's or the
 * platform's. For a new header of a framework there is a line to add; a page that sends another one is told
 * by its browser, which asks first (`allowedHeadersOf`).
 */

const names = new Set([
  // The body. How long it is, and where it ends, Node writes itself.
  'content-type',
  'content-encoding',
  'content-language',
  'content-range',
  'content-disposition',
  'content-md5',
  'content-digest',
  'repr-digest',
  'digest',
  // What the page accepts, in which part, and in which version.
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'cache-control',
  'pragma',
  'prefer',
  'last-event-id',
  'user-agent',
  'idempotency-key',
  // What a script of the page adds so that a service tells its own pages from forms of others.
  'x-requested-with',
  'x-csrf-token',
  'x-csrftoken',
  'csrf-token',
  'x-xsrf-token',
  'x-xsrftoken',
  // Front-end frameworks and protocols in HTTP, by what their clients send.
  'rsc',
  'x-livewire',
  'x-pjax',
  'x-pjax-container',
  'x-action',
  'x-remix-response',
  'datastar-request',
  'x-grpc-web',
  'grpc-timeout',
  'connect-protocol-version',
  'connect-timeout-ms',
  'x-user-agent',
  'apollo-require-preflight',
  'graphql-preflight',
  'tus-resumable',
  'mcp-session-id',
  'mcp-protocol-version',
]);

/** Families of one framework each, which add members with their releases. */
const families = [
  'hx-',
  'turbo-',
  'x-turbo-',
  'next-',
  'x-nextjs-',
  'x-inertia',
  'x-sveltekit-',
  'x-up-',
  'x-alpine-',
  'x-livewire-',
  'x-tsr-',
  'x-apollo-',
  'upload-',
];

const handshake = new Set([
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
]);

const passes = (name: string) => names.has(name) || families.some((family) => name.startsWith(family));

export interface ServiceHeadersOptions {
  /** On which the service listens. */
  port: number;
  /** Never in a value: `HX-Current-URL`, for one, is the page's whole address. */
  label: string;
  isWebSocket: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The headers for the service, with lower-case names. `Host` is where the service sees itself listen:
 * frameworks compare it, and the name of the preview is the visitor's alone.
 */
export function serviceRequestHeaders(
  headers: Headers,
  { port, label, isWebSocket }: ServiceHeadersOptions,
): Record<string, string> {
  const passed: Record<string, string> = { host: `localhost:${port}` };
  for (const [name, given] of Object.entries(headers)) {
    const value = Array.isArray(given) ? given.join(', ') : given;
    const isPassed = passes(name) || (isWebSocket && handshake.has(name));
    if (isPassed && value !== undefined && !value.toLowerCase().includes(label)) {
      passed[name] = value;
    }
  }
  return isWebSocket ? { ...passed, connection: 'Upgrade', upgrade: 'websocket' } : passed;
}

/**
 * Of the header names that a page asks for (`Access-Control-Request-Headers`) those that
 * pass, without repetition.
 */
export function allowedHeadersOf(requested: string): string[] {
  const asked = requested.split(',').map((name) => name.trim().toLowerCase());
  return [...new Set(asked)].filter((name) => /^[a-z0-9-]{1,64}$/.test(name) && passes(name));
}

/** Whether a request has a body, which HTTP tells by these headers and not by its method. */
export const hasBody = (headers: Headers): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
