import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeFieldValue, ToolHeaders } from '../../../../relay/remote/tool-headers.ts';
import { checkProperty } from '../../../support/property.ts';

const tool = (properties: object, name = 't') => ({
  tools: [{ name, inputSchema: { type: 'object', properties } }],
});
const text = (header: string) => ({ type: 'string', 'x-mcp-header': header });

function headersOf(result: unknown, args: unknown, name = 't'): Record<string, string> {
  const headers = new ToolHeaders();
  headers.learn(result);
  return headers.headersFor({ name, arguments: args });
}

describe('the headers of a call', () => {
  it('are the arguments that the tool asks for, also inner ones', () => {
    const properties = {
      place: text('Place'),
      days: { type: 'integer', 'x-mcp-header': 'Days' },
      isWarm: { type: 'boolean', 'x-mcp-header': 'Warm' },
      more: { type: 'object', properties: { unit: text('Unit') } },
      plain: { type: 'string' },
    };
    const args = { place: 'Köln', days: -3, isWarm: false, more: { unit: 'C' }, plain: 'x' };
    expect(headersOf(tool(properties), args)).toEqual({
      'mcp-param-Place': '=?base64?S8O2bG4=?=',
      'mcp-param-Days': '-3',
      'mcp-param-Warm': 'false',
      'mcp-param-Unit': 'C',
    });
  });

  it.each([
    ['an argument that is not there', tool({ a: text('A') }), {}],
    ['null', tool({ a: text('A') }), { a: null }],
    ['an inherited member', tool({ toString: text('A') }), {}],
    ['a number with a fraction', tool({ a: text('A') }), { a: 1.5 }],
    ['a number that is not safe', tool({ a: text('A') }), { a: 2 ** 60 }],
    ['a list', tool({ a: text('A') }), { a: [1] }],
    ['no object of arguments', tool({ a: text('A') }), 'x'],
    ['no list of tools', { tools: 'x' }, { a: 'x' }],
    ['no result', null, { a: 'x' }],
  ])('are none for %s', (_what, result, args) => {
    expect(headersOf(result, args)).toEqual({});
  });

  it.each([
    ['a declared number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['a declared object', { a: { type: 'object', 'x-mcp-header': 'A', properties: {} } }],
    ['a name with a line break', { a: text('A\r\nX') }],
    ['an empty name', { a: text('') }],
    ['a name that is no text', { a: { type: 'string', 'x-mcp-header': 1 } }],
    ['a name that is there twice', { a: text('A'), b: text('a') }],
    [
      'a broken name beside a good one',
      { a: text('A'), b: { type: 'object', properties: { c: text('c d') } } },
    ],
  ])('are refused, and with them the call, for %s', (_what, properties) => {
    expect(() => headersOf(tool(properties), {})).toThrow(
      'The server asks for arguments of "t" in headers that MCP does not permit',
    );
    expect(headersOf(tool(properties), {}, 'another')).toEqual({});
  });

  it('are those of the last list', () => {
    const headers = new ToolHeaders();
    headers.learn(tool({ a: text('A') }));
    headers.learn(tool({ b: text('B') }, 'other'));
    const call = { name: 't', arguments: { a: 'x' } };
    expect(headers.headersFor(call)).toEqual({ 'mcp-param-A': 'x' });
    headers.learn(tool({}));
    expect(headers.headersFor(call)).toEqual({});
  });
});

describe('the value of a header', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['a b\tc', 'a b\tc'],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
  ])('of %j is %s', (value, encoded) => {
    expect(encodeFieldValue(value)).toBe(encoded);
  });

  it('is fit for a header, and can be decoded, whatever it is', () => {
    const isFit = (value: string) => {
      const encoded = encodeFieldValue(value);
      expect(encoded).toMatch(/^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/);
      const inside = /^=\?base64\?(.*)\?=$/.exec(encoded)?.[1];
      expect(inside === undefined ? encoded : Buffer.from(inside, 'base64').toString()).toBe(value);
    };
    checkProperty(fc.property(fc.string({ unit: 'grapheme' }), isFit));
  });
});
