/** The characters of JSON's grammar, which are the same as bytes of UTF-8 and as UTF-16 code units. */
export const space = 0x20;
export const quote = 0x22;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const point = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const letterE = 0x65;
export const letterU = 0x75;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
