import { describe, expect, it } from '@jest/globals';
import { AnswerScan, scanInTurns } from '../../../../sidecar/json-rpc/answer-scan.ts';

function scanOf(text: string, pieceBytes = text.length): AnswerScan {
  const scan = new AnswerScan();
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += Math.max(1, pieceBytes)) {
    scan.push(bytes.subarray(from, from + Math.max(1, pieceBytes)));
  }
  return scan;
}

describe('the id of an answer', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":3,"result":{"v":NaN}}', [3]],
    ['{"result":{"id":9,"list":[{"id":8}]},"id":3}', [3]],
    ['{"id":"3","result":{}}', ['3']],
    ['{"id": 3.0 ,"result":{}}', [3]],
    ['{"id":3,"id":4,"result":{}}', [4]],
    ["{'id': 'a', 'result': {'text': \"it's\"}}", ['a']],
    ['{"id":3,"result":{"text":"}\\"id\\":5,', [3]],
    ['[{"id":1,"result":{}},{"id":2,"error":{"id":7}}]', [1, 2]],
    [
      '[{"id":1,"method":"ping"},{"id":2,"result":{}},{"method":"a"},{"result":{}},{"id":3,"result":{"v":',
      [2, 3],
    ],
    ['[{"id":1,"method":"ping"}]', []],
    ['{"id":null,"error":{}}', []],
    ['{"result":{"id":3}}', []],
    ['{"id":{"id":3},"result":{}}', []],
    ['{"id":true}', ['true']],
  ])('is found in %s', (text, ids) => {
    expect(scanOf(text).ids).toEqual(ids);
    expect(scanOf(text, 1).ids).toEqual(ids);
  });
});

it.each([
  'Listening on stdio',
  '[info] started',
  '[2026-01-01 12:00:00] started',
  '{"level":30,"time":1,"pid":1,"msg":"started"}',
  '{"severity":"INFO","message":"started"}',
  '   ',
])('takes %s for noise', (text) => {
  expect(scanOf(text).isNoise).toBe(true);
});

it.each([
  '{}',
  '[]',
  '[',
  '[ {"jsonrpc":"2.0"}]',
  '{"content":[]}',
  '{"level":1,"result":{}}',
  '\uFEFF{"result":{}}',
])('takes %s for an attempt at a message', (text) => {
  expect(scanOf(text).isNoise).toBe(false);
});

it('tells a request of the server from an answer', () => {
  expect(scanOf('{"id":3,"params":NaN,"method":"ping"}').namesMethod).toBe(true);
  expect(scanOf('{"id":3,"result":{"method":"ping"}}').namesMethod).toBe(false);
  expect(scanOf('[{"id":3,"method":"ping"},{"method":"a"}]').namesMethod).toBe(true);
  expect(scanOf('[{"id":3,"method":"ping"},{"id":4,"result":{}}]').namesMethod).toBe(false);
});

it('holds next to nothing of a long line', () => {
  const scan = new AnswerScan();
  scan.push(Buffer.from('{"id":"'));
  for (let pieces = 0; pieces < 100; pieces += 1) {
    scan.push(Buffer.alloc(65_536, 'x'));
  }
  scan.push(Buffer.from('","result":{}}'));
  expect(scan.ids.map((id) => String(id).length)).toEqual([1024]);
});

it('lets other work have its turns while it scans', async () => {
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns += 1;
    if (!isDone) {
      setImmediate(other);
    }
  };
  setImmediate(other);
  await scanInTurns(new AnswerScan(), Buffer.from(`{"result":"${'x'.repeat(1024 * 1024)}`));
  isDone = true;
  expect(turns).toBeGreaterThan(100);
});
