import { describe, expect, it } from '@jest/globals';
import { sha256OfCall } from '../../../../contract/call-digest.ts';
import { reportedCall } from '../../../../contract/permission-request.ts';
import { parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';
import { describeCall, isToldByArguments } from '../../../../sidecar/server-link/describe-call.ts';

const call = { server: 'files', tool: 'write', isToldByArguments: true };
const names = { server: 'files', tool: 'write' };
const hashOf = (argumentsText: string, entryVersion = 3) =>
  sha256OfCall({ ...names, entryVersion, argumentsText });

describe('a gated call', () => {
  it('is named by its server, tool, entry version and arguments, which are reported', () => {
    const text = '{"n":9007199254740993,"path":"/a"}';
    const described = {
      sha256: hashOf(text),
      reported: { ...names, arguments: text, arguments_size_bytes: 34 },
    };
    const written = '{ "path": "\\/a", "n": 9007199254740993 }';
    expect(describeCall(call, written, 3)).toEqual(described);
    expect(describeCall(call, Buffer.from(written), 3)).toEqual(described);
    expect(reportedCall.parse(described.reported)).toEqual(described.reported);
    const others = [
      describeCall({ ...call, server: 'other' }, written, 3),
      describeCall({ ...call, tool: 'other' }, written, 3),
      describeCall(call, written, 4),
      describeCall(call, written.replace('993', '992'), 3),
    ];
    expect(new Set([described, ...others].map(({ sha256 }) => sha256)).size).toBe(5);
  });

  it('differs without arguments from one with none in them', () => {
    expect(describeCall(call, null, 3)).toEqual({
      sha256: hashOf('null'),
      reported: { ...names, arguments: 'null', arguments_size_bytes: 4 },
    });
    expect(describeCall(call, '{}', 3).sha256).not.toBe(hashOf('null'));
  });

  it('of more than 16 KiB has no hash, and its size is all that is reported of its arguments', () => {
    const ofLength = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect(describeCall(call, ofLength(16_384), 3).sha256).toBe(hashOf(ofLength(16_384)));
    expect(describeCall(call, ofLength(16_385), 3)).toEqual({
      sha256: null,
      reported: { ...names, arguments_size_bytes: 16_385 },
    });
    expect(describeCall(call, Buffer.from(ofLength(1_000_000)), 3)).toEqual({
      sha256: null,
      reported: { ...names, arguments_size_bytes: 1_000_000 },
    });
  });

  it('has neither a hash nor arguments without the version of its entry, or when they do not say all of it', () => {
    const unknown = { sha256: null, reported: names };
    expect(describeCall(call, '{}', undefined)).toEqual(unknown);
    expect(describeCall({ ...call, isToldByArguments: false }, '{}', 3)).toEqual(unknown);
  });
});

describe('arguments say all of a call', () => {
  const isTold = (params: object, method = 'tools/call') => {
    const parsed = parseLine(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
    return parsed.ok && isToldByArguments(parsed.message);
  };

  it.each([
    ['alone', {}],
    ['with what clients add', { _meta: { progressToken: 1, 'client/call': 'x' }, task: { ttl: 1000 } }],
  ])('%s', (_what, more) => {
    expect(isTold({ name: 'write', arguments: {}, ...more })).toBe(true);
    expect(isTold({ name: 'write', ...more })).toBe(true);
  });

  it.each([
    ['answers to a question', { inputResponses: { a: { action: 'accept' } } }],
    ['the state of another call', { requestState: 'chosen:yacht' }],
    ['a member that the protocol does not have', { options: { force: true } }],
  ])('but not beside %s', (_what, more) => {
    expect(isTold({ name: 'write', arguments: {}, ...more })).toBe(false);
  });
});
