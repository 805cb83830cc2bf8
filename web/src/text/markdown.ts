/**
 * Markdown as agents write it, read into blocks: paragraphs, headings, lists, quotes and code. Everything
 * else, HTML and images among it, stays the text that it is. Pure, and linear in the length of the text:
 * what an agent writes must not hold up the page of the person who could stop it.
 */

export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  /** `text` is what the author shows, `address` where it would lead: only http and https. */
  | { kind: 'link'; text: string; address: string };

export interface ListItem {
  /** Steps of two spaces, at most 4. */
  depth: number;
  /** Of an ordered list: as it was written. */
  number: string | null;
  content: Inline[];
}

export type Block =
  | { kind: 'paragraph' | 'quote'; content: Inline[] }
  | { kind: 'heading'; level: number; content: Inline[] }
  | { kind: 'list'; items: ListItem[] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' };

/** A text of more lines stays as it is from there on. */
const mostLines = 2_000;
const deepest = 4;

const fence = /^ {0,3}(```+|~~~+)/;
const heading = /^ {0,3}(#{1,6}) +(.*)$/;
const item = /^( *)(?:[-*+]|(\d{1,9}[.)])) +(.*)$/;
const quote = /^ {0,3}> ?(.*)$/;
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$/;

export function readMarkdown(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) {
      blocks.push({ kind: 'paragraph', content: readInline(paragraph.join('\n')) });
      paragraph = [];
    }
  };
  let at = 0;
  while (at < Math.min(lines.length, mostLines)) {
    const found = blockAt(lines, at);
    if (found !== null || lines[at]?.trim() === '') {
      endParagraph();
    }
    if (found === null) {
      if (lines[at]?.trim() !== '') {
        paragraph.push(lines[at] ?? '');
      }
      at += 1;
    } else {
      blocks.push(found.block);
      at = found.next;
    }
  }
  endParagraph();
  if (at < lines.length) {
    const rest: Inline = { kind: 'text', text: lines.slice(at).join('\n') };
    blocks.push({ kind: 'paragraph', content: [rest] });
  }
  return blocks;
}

interface Found {
  block: Block;
  next: number;
}

/** The block that begins on this line, unless a paragraph begins or goes on there. */
function blockAt(lines: readonly string[], at: number): Found | null {
  const line = lines[at] ?? '';
  const [, fenced] = fence.exec(line) ?? [];
  if (fenced !== undefined) {
    return codeAt(lines, at, fenced);
  }
  if (rule.test(line)) {
    return { block: { kind: 'rule' }, next: at + 1 };
  }
  const [, signs, title] = heading.exec(line) ?? [];
  if (signs !== undefined) {
    const content = readInline((title ?? '').trim());
    return { block: { kind: 'heading', level: signs.length, content }, next: at + 1 };
  }
  return quoteAt(lines, at) ?? listAt(lines, at);
}

/** To its closing fence, or to the end. */
function codeAt(lines: readonly string[], at: number, fenced: string): Found {
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? '').trimStart().startsWith(fenced)) {
    end += 1;
  }
  return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

function quoteAt(lines: readonly string[], at: number): Found | null {
  const quoted: string[] = [];
  for (let next = at; ; next += 1) {
    const [, text] = quote.exec(lines[next] ?? '') ?? [];
    if (text === undefined) {
      const block: Block = { kind: 'quote', content: readInline(quoted.join('\n')) };
      return quoted.length === 0 ? null : { block, next };
    }
    quoted.push(text);
  }
}

function listAt(lines: readonly string[], at: number): Found | null {
  const items: ListItem[] = [];
  for (let next = at; ; next += 1) {
    const [, indent = '', number = null, text] = item.exec(lines[next] ?? '') ?? [];
    if (text === undefined) {
      return items.length === 0 ? null : { block: { kind: 'list', items }, next };
    }
    const depth = Math.min(deepest, Math.floor(indent.length / 2));
    items.push({ depth, number, content: readInline(text) });
  }
}

/** Of all of a text: one of many more must not freeze the page, and is shown as it was written. */
const mostParts = 1_000;

/** Whether a text has few enough parts to be drawn one by one. */
export function isDrawable(blocks: readonly Block[]): boolean {
  let parts = 0;
  for (const block of blocks) {
    parts += 1;
    if (block.kind === 'list') {
      parts += block.items.reduce((sum, { content }) => sum + 1 + content.length, 0);
    } else if ('content' in block) {
      parts += block.content.length;
    }
  }
  return parts <= mostParts;
}

/** Each mark ends at the first that closes it, within a bounded stretch: none is searched for twice. */
const inline =
  /`([^`\n]{1,2000})`|\*\*(?=\S)([^*\n]{1,2000})\*\*|(?<![\w*])\*(?=\S)([^*\n]{1,2000})\*(?![\w*])|(?<!!)\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()<>]{1,2000})\)|(https?:\/\/[^\s()<>`"'\]]{1,2000})/g;

/** One line or several, with what is marked in it. */
export function readInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(inline)) {
    const [whole, code, strong, emphasis, label, labelled, address] = match;
    if (match.index > from) {
      parts.push({ kind: 'text', text: text.slice(from, match.index) });
    }
    const plain = address?.replace(/[.,;:!?*]+$/, '');
    parts.push(
      code !== undefined
        ? { kind: 'code', text: code }
        : strong !== undefined
          ? { kind: 'strong', text: strong }
          : emphasis !== undefined
            ? { kind: 'emphasis', text: emphasis }
            : linkOf(label ?? plain ?? whole, labelled ?? plain ?? whole),
    );
    from = match.index + (plain ?? whole).length;
  }
  if (from < text.length) {
    parts.push({ kind: 'text', text: text.slice(from) });
  }
  return parts;
}

/** One that names somebody before its host, to look like that one's, leads nowhere. */
function linkOf(text: string, address: string): Inline {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url === null || url.username !== '' || url.password !== ''
    ? { kind: 'text', text: text === address ? text : `${text} (${address})` }
    : { kind: 'link', text, address };
}
