/**
 * What the clients of the bench send: JSON-RPC lines without their line feed, of a given size, ASCII only.
 */

export type RequestKind = 'call' | 'gated call' | 'ping';

const methods: Record<RequestKind, string> = { call: 'tools/call', 'gated call': 'tools/call', ping: 'ping' };

/** The params that make a request's line, with an id of six digits and its line feed, `sizeBytes` long. */
export function paramsOf(kind: RequestKind, sizeBytes: number): string {
  const withText = (text: string) =>
    JSON.stringify(
      kind === 'ping' ? { text } : { name: kind === 'call' ? 'echo' : 'gated', arguments: { text } },
    );
  const empty = requestLine(kind, 100_000, withText('')).length + 1;
  return withText('x'.repeat(Math.max(0, sizeBytes - empty)));
}

export function requestLine(kind: RequestKind, id: number, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${methods[kind]}","params":${params}}`;
}

/**
 * What a large line is made of: lines of a file, with what has to be escaped in them,
 * or as many values as fit.
 */
export type LargeContent = 'text' | 'small values';

export function largeParams(sizeBytes: number, content: LargeContent): string {
  if (content === 'small values') {
    const value = '{},';
    return `{"name":"echo","arguments":{"values":[${value.repeat(sizeBytes / value.length)}0]}}`;
  }
  const line = 'const name = "value"; // a line of a file, as somebody wrote it\n';
  return JSON.stringify({ name: 'echo', arguments: { text: line.repeat(sizeBytes / (line.length + 3)) } });
}

export const initializeLine = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
});
export const initializedLine = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
