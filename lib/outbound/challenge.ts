/**
 * What a server asks for in `WWW-Authenticate` (RFC 9110 11.6.1): a registry for a token, a remote
 * MCP server for a sign-in.
 */
export interface Challenge {
  scheme: 'bearer' | 'basic';
  parameters: ReadonlyMap<string, string>;
}

const maxHeaderLength = 4096;
const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
/**
 * Servers forget the quotes around an address, and the comma between two parameters; neither can be read in
 * another way.
 */
const unquoted = '[^\\s",=][^\\s",]*';
const parameter = new RegExp(
  `^(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${unquoted}))(?:\\s*,\\s*|\\s+|$)`,
);
const scheme = new RegExp(`^(${token})(?:\\s+|(?=,)|$)`);

/** The supported challenges of a header, in its order; empty when the header cannot be parsed to its end. */
export function parseChallenges(header: string | undefined): Challenge[] {
  let rest = (header ?? '').trim();
  if (rest.length > maxHeaderLength) {
    return [];
  }
  const challenges: Challenge[] = [];
  while (rest !== '') {
    const [start, name] = scheme.exec(rest) ?? [];
    if (start === undefined || name === undefined) {
      return [];
    }
    rest = rest.slice(start.length);
    const parameters = new Map<string, string>();
    for (let found = parameter.exec(rest); found !== null; found = parameter.exec(rest)) {
      const [all, key = '', quoted, plain] = found;
      parameters.set(key.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
      rest = rest.slice(all.length);
    }
    rest = rest.replace(/^\s*,\s*/, '');
    const known = name.toLowerCase();
    if (known === 'bearer' || known === 'basic') {
      challenges.push({ scheme: known, parameters });
    }
  }
  return challenges;
}
