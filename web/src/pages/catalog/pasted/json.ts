/**
 * JSON as people paste it: a code block of Markdown, a fragment without its braces, with comments
 * and commas too many. Pure.
 */
import { endOfString, repeatedKey } from '../../../../../contract/repeated-key.ts';

export interface Problem {
  problem: string;
}

/** The value of a pasted text. A key that comes twice is refused: one of the two would be dropped. */
export function readPastedJson(text: string): { value: unknown } | Problem {
  const block = onlyBlock(text);
  if (block === null) {
    return { problem: 'The text has several code blocks: paste one of them.' };
  }
  const json = withoutSpareCommas(withBraces(withoutComments(block).trim()));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    return { problem: `Invalid JSON: ${why}${otherFormat(block)}` };
  }
  const twice = repeatedKey(json);
  return twice === null
    ? { value }
    : { problem: `"${twice.join('.')}" is there twice: remove or rename one of the two.` };
}

/** What is within the fences of its only code block, or the whole text without any; null for several. */
function onlyBlock(text: string): string | null {
  const outside: string[] = [];
  const blocks: string[][] = [];
  let fence: string | null = null;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, marks = ''] = /^[ \t>]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null && marks !== '') {
      fence = marks;
      blocks.push([]);
    } else if (fence !== null && marks.startsWith(fence)) {
      fence = null;
    } else {
      (fence === null ? outside : blocks.at(-1))?.push(line);
    }
  }
  // A fence that was copied without its opening one, or that holds nothing, leaves the text outside of it.
  const filled = blocks.map((lines) => lines.join('\n')).filter((block) => block.trim() !== '');
  return filled.length > 1 ? null : (filled[0] ?? outside.join('\n'));
}

/**
 * Comments become blanks, and so do the blanks of web pages, which are none in JSON.
 * Strings stay as they are.
 */
function withoutComments(text: string): string {
  let result = '';
  for (let index = 0; index < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    if (pair.startsWith('"')) {
      const end = endOfString(text, index);
      result += text.slice(index, end + 1);
      index = end;
    } else if (pair === '//' || pair === '/*') {
      const close = text.indexOf(pair === '//' ? '\n' : '*/', index + 2);
      index = close === -1 ? text.length : close + (pair === '//' ? -1 : 1);
      result += ' ';
    } else {
      result += /[^\S\n\r\t ]/.test(text[index] ?? '') ? ' ' : text[index];
    }
  }
  return result;
}

/** `"mcpServers": {…}`, as a README shows it. */
const withBraces = (text: string): string => (text.startsWith('"') ? `{${text}}` : text);

/** Leaves out each comma that only a closing bracket follows, and one at the end. */
function withoutSpareCommas(text: string): string {
  const spare: number[] = [];
  let comma: number | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index] ?? '';
    if (comma !== null && (sign === '}' || sign === ']')) {
      spare.push(comma);
    }
    comma = sign === ',' ? index : sign.trim() === '' ? comma : null;
    index = sign === '"' ? endOfString(text, index) : index;
  }
  const cuts = comma === null ? spare : [...spare, comma];
  return [...cuts, text.length].map((cut, at) => text.slice((cuts[at - 1] ?? -1) + 1, cut)).join('');
}

/** What to do with text that is no JSON at all. */
function otherFormat(text: string): string {
  if (/^\s*\[+[\w.-]+\]+\s*$/m.test(text)) {
    return '. It looks like TOML: paste the JSON that other clients take.';
  }
  if (/[“”‘’]/.test(text)) {
    return '. Its quotes are typographic (“ ”): write them as ".';
  }
  if (/[[{,]\s*\.\.\.|…/.test(text)) {
    return '. It leaves something out ("..."): remove that, or write what belongs there.';
  }
  if (/[{,]\s*(?:'[^'\n]*'|[A-Za-z_]\w*)\s*:/.test(text)) {
    return '. Its names and texts have to be in double quotes (").';
  }
  if (/^\s*[\w-]+:\s*$/m.test(text)) {
    return '. It looks like YAML: paste the JSON that other clients take.';
  }
  return /^\s*[$>]?\s*(claude|code|codex|gemini|amp|npx|uvx|docker|smithery) /.test(text)
    ? '. It looks like a command: paste the JSON of a client’s configuration, with "command" and "args".'
    : '';
}
