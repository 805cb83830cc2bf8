/** How an address may be spelled in a URL so that a check of its text misses it. */

/** Spellings of an IPv4 address that a URL parser or a resolver may read as that address. */
export function spellings(address: string): string[] {
  const parts = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (part: number) => part.toString(16);
  const octal = (part: number) => `0${part.toString(8)}`;
  const high = hex(a * 256 + b);
  const low = hex(c * 256 + d);
  const fullWidth = [...address].map((sign) =>
    sign === '.' ? '。' : String.fromCodePoint(0xff10 + Number(sign)),
  );
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    `0${number.toString(8)}`,
    parts.map(octal).join('.'),
    parts.map((part) => `0x${hex(part)}`).join('.'),
    `0x${hex(a)}.${octal(b)}.${c}.${d}`,
    parts.map((part) => `000${octal(part)}`).join('.'),
    `${a}.${b * 65536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replaceAll('.', '%2e'),
    address.replaceAll('.', '。'),
    fullWidth.join(''),
    `%${hex(0x30 + Number(address[0]))}${address.slice(1)}`,
    `public.test@${address}`,
    `public.test:443@${address}`,
    `public.test%40x@${address}`,
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:FFFF:${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[::${high}:${low}]`,
    `[2001:0:${high}:${low}::1]`,
  ];
}

/** URLs whose text names a public host, and that lead to the address all the same in some parsers. */
export const disguises = (address: string): string[] => [
  `https://${address}#@public.test/`,
  `https://${address}?@public.test/`,
  `https://${address}\\@public.test/`,
  `https:\\\\${address}/`,
  `https:/${address}/`,
  `https:${address}/`,
  `\thttps://\t${address}/`,
  `https://public.test\\@${address}/`,
];
