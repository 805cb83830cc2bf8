/** JSON-RPC 2.0 messages as the gate sees them, after `parseLine` has ensured that they are unambiguous. */

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export type Message =
  | { kind: 'request'; id: RequestId; method: string; params: Params }
  | { kind: 'notification'; method: string; params: Params }
  | { kind: 'result'; id: RequestId; result: Params }
  | { kind: 'error'; id: RequestId | null; error: Params };

/** Error codes of JSON-RPC; `refused` is in the range that the standard leaves to implementations. */
export const rpcErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  refused: -32000,
} as const;

/**
 * One slot for all ids that a reader could confuse: the number 1, and the strings "1", "1.0" and " 1". Two of
 * them must not be in flight together.
 */
export function idSlot(id: RequestId): string {
  const value = typeof id === 'string' && id.trim() !== '' ? Number(id) : id;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : String(id);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
