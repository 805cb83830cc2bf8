/**
 * JSON values with the texts of their numbers, written in any way that the gate lets pass,
 * and changed in one place.
 */
import fc from 'fast-check';
import type { SeededRandom } from '../../../support/seeded-random.ts';

export type JsonModel =
  | { is: 'object'; members: [key: string, value: JsonModel][] }
  | { is: 'list'; items: JsonModel[] }
  | { is: 'string'; value: string }
  /** A number, `true`, `false` or `null`. */
  | { is: 'scalar'; text: string };

/** Any UTF-16 code units, so half surrogates as well. */
const anyString = fc.oneof(
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    ...[
      '',
      'a',
      '/',
      '\\',
      '"',
      '\u007f',
      '\u2028',
      '\u200b',
      '\ud83d\ude00',
      '\ud83d',
      '\ude00\ud83d',
      '\0',
      '\t',
    ],
  ),
);
/** Readers agree on these. */
const anyKey = fc.oneof(
  anyString.filter((key) => !/\0|\p{Cs}/u.test(key)),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'a', 'b', 'B', '\u{1f600}', '\uffff', '10', '9'),
);
const anyScalar = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '0', '-0', '1', '1.0', '1e0', '1E+2', '1e400', '0.1e-400'),
  fc.constantFrom('9007199254740992', '9007199254740993', '9007199254740993.0'),
  fc.integer().map(String),
);

/** Objects, as the arguments of a call are. */
export const anyArguments = fc.letrec<{ value: JsonModel; object: JsonModel }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    anyScalar.map((text): JsonModel => ({ is: 'scalar', text })),
    anyString.map((value): JsonModel => ({ is: 'string', value })),
    fc.array(tie('value'), { maxLength: 4 }).map((items): JsonModel => ({ is: 'list', items })),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(anyKey, tie('value')), { maxLength: 5, selector: ([key]) => key })
    .map((members): JsonModel => ({ is: 'object', members })),
})).object;

/** Equal, by deep equality, for the same value with the same texts of numbers. */
export function comparable(model: JsonModel): unknown {
  switch (model.is) {
    case 'object':
      return new Map(model.members.map(([key, value]) => [key, comparable(value)]));
    case 'list':
      return model.items.map(comparable);
    case 'string':
      return model.value;
    default:
      return { scalar: model.text };
  }
}

/**
 * In one of the many ways to write it: members in any order, with space, strings with
 * more escapes than they need.
 */
export function writeModel(model: JsonModel, random: SeededRandom): string {
  const space = () => ' '.repeat(random.pick([0, 0, 0, 1, 3]));
  const spaced = (text: string) => `${space()}${text}${space()}`;
  const write = (inner: JsonModel): string => {
    switch (inner.is) {
      case 'object':
        return `{${shuffled(inner.members, random)
          .map(([key, value]) => `${spaced(writeString(key, random))}:${spaced(write(value))}`)
          .join()}${inner.members.length === 0 ? space() : ''}}`;
      case 'list':
        return `[${inner.items.map((item) => spaced(write(item))).join()}${inner.items.length === 0 ? space() : ''}]`;
      case 'string':
        return writeString(inner.value, random);
      default:
        return inner.text;
    }
  };
  return spaced(write(model));
}

function writeString(text: string, random: SeededRandom): string {
  const escapes = random.pick([0, 0, 30, 100]);
  const unit = (code: number) => {
    const digits = code.toString(16).padStart(4, '0');
    return `\\u${random.chance(50) ? digits : digits.toUpperCase()}`;
  };
  const written = [...text].map((character) => {
    if (random.chance(escapes)) {
      return Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('');
    }
    return character === '/' && random.chance(30) ? '\\/' : JSON.stringify(character).slice(1, -1);
  });
  return `"${written.join('')}"`;
}

function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as Item);
}

/** The same with one change somewhere in it, which may have no effect. */
export function changeModel(model: JsonModel, random: SeededRandom): JsonModel {
  if (model.is === 'object' && model.members.length > 0 && random.chance(80)) {
    const at = random.below(model.members.length);
    return { is: 'object', members: changeMembers(model.members, at, random) };
  }
  if (model.is === 'list' && model.items.length > 0 && random.chance(80)) {
    const at = random.below(model.items.length);
    return { is: 'list', items: changeItems(model.items, at, random) };
  }
  if (model.is === 'string') {
    const edit = random.pick<(text: string) => string>([
      (text) => `${text}\u200b`,
      (text) => ` ${text}`,
      (text) => text.normalize('NFKD'),
      (text) => text.toUpperCase(),
      (text) => text.slice(1),
    ]);
    return random.chance(20) ? { is: 'scalar', text: '0' } : { is: 'string', value: edit(model.value) };
  }
  return random.pick<JsonModel>([
    { is: 'scalar', text: 'null' },
    { is: 'scalar', text: model.is === 'scalar' && /^-?\d+$/.test(model.text) ? `${model.text}.0` : '1' },
    { is: 'string', value: model.is === 'scalar' ? model.text : '' },
    { is: 'list', items: [model] },
    { is: 'object', members: [['', model]] },
  ]);
}

function changeMembers(
  members: [string, JsonModel][],
  at: number,
  random: SeededRandom,
): [string, JsonModel][] {
  const others = members.filter((_, index) => index !== at);
  const [key, value] = members[at] ?? ['', { is: 'list', items: [] } satisfies JsonModel];
  const taken = new Set(others.map(([other]) => other));
  const renamed = random.pick([`${key} `, `${key}\u200b`, key.toUpperCase(), `_${key}`]);
  return random.pick<() => [string, JsonModel][]>([
    () => others,
    () => [...others, [key, changeModel(value, random)]],
    () => (taken.has(renamed) ? others : [...others, [renamed, value]]),
    () => (taken.has(renamed) || renamed === key ? others : [...members, [renamed, value]]),
  ])();
}

function changeItems(items: readonly JsonModel[], at: number, random: SeededRandom): JsonModel[] {
  const before = items.slice(0, at);
  const after = items.slice(at + 1);
  const item = items[at] ?? { is: 'list', items: [] };
  return random.pick<() => JsonModel[]>([
    () => [...before, ...after],
    () => [...before, changeModel(item, random), ...after],
    () => [...before, item, item, ...after],
    () => items.toReversed(),
  ])();
}
