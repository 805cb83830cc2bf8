import { describe, expect, it } from '@jest/globals';
import {
  kindOfStep,
  newStep,
  problemsOfStep,
  problemsOfSteps,
  renamed,
  rowsOfSteps,
  type StepKind,
  savedBefore,
  savedName,
  stepKinds,
  textOfSteps,
  textOfValue,
  typeOfValue,
  valueOfText,
  withMember,
} from '../../../web/src/pages/agents/steps.ts';

describe('the steps of a scripted agent as rows', () => {
  it('say what the JSON says, and give it back', () => {
    const steps = [
      { call: 'files.write_file', arguments: { path: 'a', deep: [{ b: null }] }, save: { id: 'x.0' } },
      { wait_for_message: { contains: 'go', timeout_seconds: 60 } },
      { nonsense: true },
    ];
    const rows = rowsOfSteps(JSON.stringify({ steps })) ?? [];
    expect(JSON.parse(textOfSteps(rows))).toEqual({ steps });
    expect(rows.map(kindOfStep)).toEqual(['call', 'wait_for_message', null]);
    expect(rowsOfSteps(' ')).toEqual([]);
    expect(textOfSteps([])).toBe('');
  });

  const long = '{"steps":[{"call":"a.b","arguments":{"id":12345678901234567890}}]}';
  it.each(['{', '[]', '{"steps":{}}', '{"steps":[1]}', '{"steps":[],"more":1}', 'null', long])(
    'are none for %s, of which they would lose something',
    (text) => {
      expect(rowsOfSteps(text)).toBeNull();
    },
  );

  it('change one member, and keep the order of the others', () => {
    const row = { call: 'a.b', arguments: {}, expect: 'ok' };
    expect(Object.entries(withMember(row, 'arguments', { x: 1 }))).toEqual([
      ['call', 'a.b'],
      ['arguments', { x: 1 }],
      ['expect', 'ok'],
    ]);
    expect(withMember(row, 'expect', undefined)).toEqual({ call: 'a.b', arguments: {} });
    expect(Object.keys(renamed({ a: 1, b: 2 }, 'a', 'c'))).toEqual(['c', 'b']);
    // A name that means something to objects is a name like any other.
    const odd = withMember(renamed({ a: 1 }, 'a', '__proto__'), 'constructor', 2);
    expect(JSON.stringify(odd)).toBe('{"__proto__":1,"constructor":2}');
  });

  it('name each problem at its step and field', () => {
    const text = textOfSteps([
      { call: 'x.y', arguments: {}, expect: '' },
      { call: 'nowhere', arguments: {} },
    ]);
    const problems = problemsOfSteps(text);
    expect(Object.keys(problemsOfStep(problems, 0))).toEqual(['expect']);
    expect(problemsOfStep(problems, 1)).toEqual({ call: 'must be <server>.<tool>' });
    const unsaved = textOfSteps([{ call: 'x.y', arguments: { id: { $saved: 'other' } } }]);
    expect(Object.keys(problemsOfStep(problemsOfSteps(unsaved), 0))).toEqual(['arguments.id']);
  });

  it('offer what earlier steps save', () => {
    const rows = [{ call: 'a.b', save: { one: 'x' } }, { call: 'a.c', save: { two: 'y', one: 'z' } }, {}];
    expect(savedBefore(rows, 2)).toEqual(['one', 'two']);
    expect(savedBefore(rows, 0)).toEqual([]);
    expect([savedName({ $saved: 'one' }), savedName({ $saved: 1 }), savedName('one')]).toEqual([
      'one',
      null,
      null,
    ]);
  });

  it.each([
    ['plain', 'text', 'plain'],
    ['5', 'number', 5],
    ['"5"', 'text', '5'],
    ['true', 'yes or no', true],
    ['{"a": 1}', 'object', { a: 1 }],
    ['[1]', 'list', [1]],
    ['{"a":', 'text', '{"a":'],
    ['', 'text', ''],
    ['1.0', 'text', '1.0'],
    ['12345678901234567890', 'text', '12345678901234567890'],
    ['[1, 12345678901234567890]', 'text', '[1, 12345678901234567890]'],
    [
      '{"id": "12345678901234567890", "a\\"1e999": 0.5}',
      'object',
      { id: '12345678901234567890', 'a"1e999': 0.5 },
    ],
    ['null', 'null', null],
  ])('read %j as %s', (typed, type, value) => {
    expect(valueOfText(typed)).toEqual(value);
    expect(typeOfValue(value)).toBe(type);
    expect(valueOfText(textOfValue(value))).toEqual(value);
  });

  it('begin as one of the kinds', () => {
    for (const kind of Object.keys(stepKinds) as StepKind[]) {
      expect(kindOfStep(newStep(kind))).toBe(kind);
    }
  });
});
