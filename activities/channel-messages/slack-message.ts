/**
 * What a Slack-compatible webhook is sent. Pure. Names and texts come from agents and people that nobody
 * vouches for: in the output they mention nobody, link to nothing, and look like nothing that the platform
 * says (docs/channels.md#what-readers-see).
 */
import { toolScope } from '../../contract/names.ts';
import type { Delivery } from '../../store/channel-messages/read-delivery.ts';

interface PlainText {
  type: 'plain_text';
  text: string;
  emoji: false;
}
type Block =
  | { type: 'context'; elements: [PlainText] }
  | { type: 'section'; text: PlainText | { type: 'mrkdwn'; text: string; verbatim: true } };

export interface SlackMessage {
  /** Shown where blocks are not, such as in notifications and by other products. */
  text: string;
  mrkdwn: false;
  parse: 'none';
  link_names: false;
  unfurl_links: false;
  unfurl_media: false;
  blocks: Block[];
}

/**
 * In front of each line of an agent: no line of the platform begins with it, and every line of an agent does.
 */
const margin = '│ ';
/** Longer lines are continued below, behind the margin: a reader's window would do the same without it. */
const lineLength = 200;
/** Of a name; those of agents are no longer. */
const nameLength = 100;
/** Of one block, as Slack has it; a line of five times its length, which `&` takes, still fits. */
const blockLength = 3000;

const lineBreaks = /\r\n?|[\n\v\f\u0085\u2028\u2029]/gu;
/**
 * Controls, what has no shape or turns the direction of text, and code points that stand for nothing; of
 * spaces all but the plain one.
 */
const spaces = /[\t\p{Zs}\u2800\u3164\uffa0]+/gu;
const invisible = /(?!\n)[\p{C}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\ufffc]/gu;
/** Marks that pile up reach into the lines above and below. */
const piledMarks = /(\p{M}{3})\p{M}+/gu;

/** The same words on plain lines: every character has a shape, and a place in its line. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(lineBreaks, '\n')
    .replace(spaces, (run) => ' '.repeat(Math.min(run.length, 8)))
    .replace(invisible, '')
    .replace(piledMarks, '$1')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * One line of plain text in which nothing is active: no entity, no mention, no address that a reader's
 * client would make a link of, also of the full-width and small forms that browsers read as the plain ones,
 * and no link of Markdown.
 */
export function defused(line: string): string {
  return line
    .replace(/[&<>]/g, (sign) => escapes[sign] ?? '')
    .replace(/[@\uff20\ufe6b]/gu, '[@]')
    .replace(/(?<=\p{L})[:\uff1a\ufe13\ufe55](?=\S)|[:\uff1a\ufe13\ufe55](?=[/\uff0f])/gu, '[:]')
    .replace(/(?<=\S)[.\u2024\u3002\ufe52\uff0e\uff61](?=\p{L}[\p{L}\p{M}])/gu, '[.]')
    .replace(/\](?=[([:])/g, '] ');
}

/** Everything that a reader may take for the end of a quoted name, of whatever script. */
const quotationMarks = /["\p{Quotation_Mark}\u02ba\u02dd\u02ee\u05f4\u2033\u2036\u3003]/gu;

/** A name on one line, between quotes that it does not have itself. */
function quoted(name: string): string {
  const characters = [...plain(name).replace(/\s+/g, ' ').replace(quotationMarks, "'")];
  return defused(`"${characters.slice(0, nameLength).join('')}"`);
}

/** The lines of a text, each short enough to be read behind the margin. */
function linesOf(text: string): string[] {
  return plain(text)
    .split('\n')
    .flatMap((line) => {
      const characters = [...line];
      const parts = Math.max(1, Math.ceil(characters.length / lineLength));
      return Array.from({ length: parts }, (_, part) =>
        characters.slice(part * lineLength, (part + 1) * lineLength).join(''),
      );
    })
    .map((line) => `${margin}${defused(line)}`);
}

/** Lines together, as many as fit into a block. */
function blocksOf(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last !== undefined && last.length + 1 + line.length <= blockLength) {
      blocks[blocks.length - 1] = `${last}\n${line}`;
    } else {
      blocks.push(line);
    }
  }
  return blocks;
}

/** Letters and dots, as short as a name. */
const catalogScope = toolScope.max(nameLength);

const plainText = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });
/** Words of the platform alone: what is written in it is active. */
const ownSection = (text: string): Block => ({
  type: 'section',
  text: { type: 'mrkdwn', text, verbatim: true },
});
const section = (text: string): Block => ({ type: 'section', text: plainText(text) });

const message = (text: string, blocks: Block[]): SlackMessage => ({
  ...{ text, mrkdwn: false, parse: 'none', link_names: false },
  ...{ unfurl_links: false, unfurl_media: false, blocks },
});

/** What an agent posted, below a line that says which agent did, and in which session. */
export function agentMessage(
  { id, agent_name: name }: { id: string; agent_name: string },
  text: string,
): SlackMessage {
  const head = `Agent ${quoted(name)} in session ${id} wrote:`;
  const lines = linesOf(text);
  return message([head, ...lines].join('\n'), [
    { type: 'context', elements: [plainText(head)] },
    ...blocksOf(lines).map(section),
  ]);
}

type Request = NonNullable<Delivery['request']>;

/**
 * Says that a permission is asked for, by facts alone, with the platform's own link to where
 * a person who may decides.
 */
export function requestMessage(
  request: Pick<Request, 'id' | 'grant_type' | 'details' | 'server'>,
  { agentName, slug, linkOrigin }: { agentName: string; slug: string; linkOrigin: string | null },
): SlackMessage {
  const who = `Permission request: agent ${quoted(agentName)} asks`;
  const { text, blocks } = matterOf(request, who);
  if (linkOrigin === null) {
    const where = 'Decide it in the web UI, under Approvals.';
    return message(`${text}\n${where}`, [...blocks, section(where)]);
  }
  const url = `${linkOrigin}/app/${encodeURIComponent(slug)}/approvals/${request.id}`;
  return message(`${text}\nDecide it here, signed in: ${url}`, [
    ...blocks,
    ownSection(`<${url}|Decide it in the web UI>, signed in`),
  ]);
}

/**
 * What is asked for. The scope of a call that the platform refused is a word of the catalog: it is shown as
 * it is, as code, of which no client makes a link. Any other scope is the agent's choice of letters, and
 * could be the name of a host.
 */
function matterOf(
  { grant_type: type, details, server }: Pick<Request, 'grant_type' | 'details' | 'server'>,
  who: string,
): { text: string; blocks: Block[] } {
  const inOneLine = (matter: string) => {
    const text = `${who} ${matter}.`;
    return { text, blocks: [section(text)] };
  };
  if (type === 'spawn') {
    return inOneLine('to start another agent');
  }
  const { data: scope } = catalogScope.safeParse(details['scope']);
  if (server === null || scope === undefined) {
    const whose = server === null ? '' : ` of the MCP server ${quoted(server)}`;
    return inOneLine(`for the scope ${quoted(String(details['scope']))}${whose}`);
  }
  return {
    text: `${who} for the scope \`${scope}\` of the MCP server ${quoted(server)}.`,
    blocks: [
      section(`${who} for this scope of the MCP server ${quoted(server)}:`),
      ownSection(`\`${scope}\``),
    ],
  };
}

export function testMessage({ name }: { name: string }, channel: string): SlackMessage {
  const text = `Test message: the channel ${quoted(channel)} of the workspace ${quoted(name)} works.`;
  return message(text, [section(text)]);
}
