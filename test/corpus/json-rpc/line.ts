/**
 * Lines that an agent may send, and what the gate must say to each: `passes`, `gated` (passes only under a
 * grant), or the reason of its refusal. The connection speaks the 2025 revision, the tool `write_file` is
 * gated, the agent's request 7 and the server's request "p" wait for their answers.
 */
import type { GateRefusal } from '../../../sidecar/gate/decide.ts';
import type { LineProblem } from '../../../sidecar/json-rpc/parse-line.ts';

export type Verdict = 'passes' | 'gated' | LineProblem | GateRefusal;

export interface Line {
  title: string;
  bytes: Buffer;
  verdict: Verdict;
}

export const envelopeMembers = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];
export const callMembers = ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState'];
export const head = '"jsonrpc":"2.0","id":1';
export const ping = `{${head},"method":"ping"}`;
export const writes = `{${head},"method":"tools/call","params":{"name":"write_file"}}`;

/** Lines with one verdict; a title is made from the text where there is none. */
export function lines(verdict: Verdict, family: string, texts: readonly (string | Buffer)[]): Line[] {
  return texts.map((text, index) => ({
    title: `${family} ${index + 1}: ${JSON.stringify(text.toString().slice(0, 100))}`,
    bytes: Buffer.from(text),
    verdict,
  }));
}

/** A call of a tool that no scope gates, with these arguments as they are written. */
export const callWith = (args: string, id = '1') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"read","arguments":${args}}}`;

/** A call with these members of `params` as they are written. */
export const callOf = (members: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${members}}}`;

/** A message with these members as they are written. */
export const message = (members: string) => `{${members}}`;

/** The bytes of the two texts around others that need not be text. */
export const around = (before: string, bytes: readonly number[], after: string) =>
  Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);

/** Spellings that some parsers take for the member. */
export const spellingsOf = (member: string): string[] =>
  [
    ...new Set([
      member.toUpperCase(),
      member.charAt(0).toUpperCase() + member.slice(1),
      member.slice(0, -1) + member.slice(-1).toUpperCase(),
      member.replace('s', '\u017f'),
      member.replace('k', '\u212a'),
      member.replace('i', '\u0131'),
      `${member} `,
      `${member}\u200b`,
      `\ufeff${member}`,
      [...member].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join(''),
    ]),
  ].filter((spelling) => spelling !== member);
