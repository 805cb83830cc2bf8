/**
 * Pure: which headers pass the gateway. Each side's framing ends here: what the other
 * side gets is framed again.
 */
import { serviceFailureHeader, serviceRequestHeader } from '../../contract/service-signature.ts';

/** Of either side; more are refused. */
export const mostHeaders = 100;
export const maxHeaderBytes = 32 * 1024;

/** As Node gives and takes them: names and values in turn. */
export type RawHeaders = readonly string[];

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The gateway decides itself whether a body is wanted, and how long it is. */
const ofThisHop = new Set([
  'expect',
  'content-length',
  'http2-settings',
  serviceRequestHeader,
  serviceFailureHeader,
]);

const bodyless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

export interface Framing {
  contentLength: string | undefined;
  isChunked: boolean;
}

/** What the service is sent. */
export function requestHeaders(
  raw: RawHeaders,
  method: string,
  { contentLength, isChunked }: Framing,
): string[] {
  const kept = endToEnd(raw);
  if (isChunked) {
    return [...kept, 'Transfer-Encoding', 'chunked', 'Connection', 'close'];
  }
  const length = contentLength ?? (bodyless.has(method) ? undefined : '0');
  return [...kept, ...(length === undefined ? [] : ['Content-Length', length]), 'Connection', 'close'];
}

/** The same of a request to switch to WebSocket. */
export const upgradeHeaders = (raw: RawHeaders): string[] => [
  ...endToEnd(raw),
  'Connection',
  'Upgrade',
  'Upgrade',
  'websocket',
];

/** What the visitor is sent, without its framing. */
export function endToEnd(raw: RawHeaders): string[] {
  const pairs = pairsOf(raw);
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name.toLowerCase() === 'connection' ? value.split(',').map((each) => each.trim().toLowerCase()) : [],
    ),
  );
  const isKept = (name: string) => !(hopByHop.has(name) || ofThisHop.has(name) || named.has(name));
  return pairs.filter(([name]) => isKept(name.toLowerCase())).flat();
}

export function pairsOf(raw: RawHeaders): [name: string, value: string][] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : [],
  );
}
