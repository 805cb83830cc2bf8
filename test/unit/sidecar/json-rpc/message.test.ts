import { describe, expect, it } from '@jest/globals';
import { idSlot, isObject, rpcErrorCode } from '../../../../sidecar/json-rpc/message.ts';

describe('ids', () => {
  it('that a reader could confuse share a slot', () => {
    for (const id of ['1', '1.0', ' 1', '1 ', '1e0', '01', '0x1', '+1']) {
      expect(idSlot(id)).toBe(idSlot(1));
    }
    expect(idSlot('-0')).toBe(idSlot(0));
  });

  it('that differ for every reader do not', () => {
    const ids = [0, 1, -1, '', ' ', 'a', 'A', 'NaN', 'Infinity', '-Infinity', '1e400', 'null', '1,0'];
    expect(new Set(ids.map(idSlot)).size).toBe(ids.length);
  });
});

it('error codes are those of JSON-RPC', () => {
  expect(rpcErrorCode).toEqual({
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    refused: -32000,
  });
});

it('an object has members: it is no array, null or anything else', () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true);
  expect([[], null, undefined, 'text', 1, true, () => 1].some(isObject)).toBe(false);
});
