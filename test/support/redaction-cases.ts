/** What both programs that show a process's output redact in it: the session host and the static relay. */

export interface RedactionCase {
  name: string;
  values: string[];
  text: string;
  expected: string;
}

const token = 'tok/en+with "quotes" & 100% ümlaut';
const pem =
  '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU\n-----END KEY-----\n';
const long = `long-${'0123456789'.repeat(9)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** The base64 digits that a value of 16 bytes alone determines, after `shift` other bytes. */
const around = (shift: number, value: string) => {
  const written = base64(`${'~'.repeat(shift)}${value}~~~`);
  const from = Math.ceil((8 * shift) / 6);
  const to = Math.floor((8 * (shift + value.length)) / 6);
  return { written, shown: `${written.slice(0, from)}[secret]${written.slice(to)}` };
};
const inAscii = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const plain = '0123456789abcdeX';

export const redactionCases: RedactionCase[] = [
  { name: 'as it is', values: [token], text: `a ${token} b`, expected: 'a [secret] b' },
  {
    name: 'twice in a row, as one',
    values: ['s3cret'],
    text: 's3crets3cret s3cre.',
    expected: '[secret] s3cre.',
  },
  {
    name: 'a value of three bytes, which is left as it is, and one of four',
    values: ['abc', 'äb', '1234'],
    text: 'abcd äb 1234',
    expected: 'abcd äb [secret]',
  },
  { name: 'URL-encoded', values: [token], text: `q=${encodeURIComponent(token)};`, expected: 'q=[secret];' },
  {
    name: 'URL-encoded as a form, with plus signs and small letters',
    values: [token],
    text: `q=${new URLSearchParams({ v: token }).toString().slice(2).toLowerCase()};`,
    expected: 'q=[secret];',
  },
  { name: 'as JSON', values: [token], text: JSON.stringify({ token }), expected: '{"token":"[secret]"}' },
  {
    name: 'as JSON in ASCII',
    values: [token],
    text: `"${JSON.stringify(token).slice(1, -1).replace('ü', '\\u00fc')}"`,
    expected: '"[secret]"',
  },
  {
    name: 'as JSON with a pair of surrogates',
    values: ['key-🔑-end'],
    text: '"key-\\ud83d\\udd11-end"',
    expected: '"[secret]"',
  },
  { name: 'in hex', values: [token], text: Buffer.from(token).toString('hex'), expected: '[secret]' },
  {
    name: 'in hex with capitals',
    values: [token],
    text: `0x${Buffer.from(token).toString('hex').toUpperCase()}.`,
    expected: '0x[secret].',
  },
  ...[0, 1, 2].map((shift) => {
    const { written, shown } = around(shift, plain);
    return {
      name: `in base64 after ${shift} bytes`,
      values: [plain],
      text: `${written}\n`,
      expected: `${shown}\n`,
    };
  }),
  {
    name: 'in base64 for URLs',
    values: ['>>>???>>>???'],
    text: Buffer.from('>>>???>>>???').toString('base64url'),
    expected: '[secret]',
  },
  {
    name: 'in base64 broken into lines',
    values: [long.slice(0, 90)],
    text: base64(long.slice(0, 90)).replace(/(.{76})/g, '$1\n'),
    expected: '[secret]',
  },
  {
    name: 'a value of several lines, line by line',
    values: [pem],
    text: 'key MIIEvQIBADANBgkqhkiG9w0BAQEF\nand -----END KEY-----, no more',
    expected: 'key [secret]\nand [secret], no more',
  },
  {
    name: 'a value of many kilobytes',
    values: [`${'0123456789abcdefg'.repeat(3000)}!`],
    text: `<${'0123456789abcdefg'.repeat(3000)}!>`,
    expected: '<[secret]>',
  },
  ...['ü', 'xü', '€', 'x€', '🔑', 'xyz🔑€ü'].map((characters) => ({
    name: `many kilobytes of ${characters}, as JSON in ASCII`,
    values: [`<${characters.repeat(3000)}>`],
    text: `"${inAscii(`<${characters.repeat(3000)}>`)}"`,
    expected: '"[secret]"',
  })),
  ...['ü', '🔑'].map((character) => ({
    name: `many kilobytes of ${character}, in base64`,
    values: [`ab${character.repeat(3000)}c`],
    text: base64(`ab${character.repeat(3000)}c`),
    expected: '[secret]',
  })),
  { name: 'a value of several lines as a whole', values: [pem], text: `<${pem}>`, expected: '<[secret]>' },
  {
    name: 'the longest of two values',
    values: ['secret-a', 'secret-a-and-b'],
    text: 'secret-a-and-b secret-a.',
    expected: '[secret] [secret].',
  },
  {
    name: 'a value with percent signs and backslashes',
    values: ['50%25\\n\\\\x'],
    text: '<50%25\\n\\\\x>',
    expected: '<[secret]>',
  },
  {
    name: 'at the end without its last line feed',
    values: ['hunter2\n'],
    text: 'is hunter2',
    expected: 'is [secret]',
  },
  {
    name: 'at the end without its last backslash',
    values: ['pw12', 'pw12\\'],
    text: 'is pw12',
    expected: 'is [secret]',
  },
  {
    name: 'at the end, of two values of which one begins with the other',
    values: ['hunter2', 'hunter2-prod-password'],
    text: 'is hunter2',
    expected: 'is [secret]',
  },
  {
    name: 'at the end, of two values, with a rest that is none',
    values: ['abcd', 'abcdefgh'],
    text: 'is abcdef',
    expected: 'is [secret]ef',
  },
  {
    name: 'a short value whose last byte is a backslash, at the end',
    values: ['pw12\\'],
    text: 'is pw12\\',
    expected: 'is [secret]',
  },
];
