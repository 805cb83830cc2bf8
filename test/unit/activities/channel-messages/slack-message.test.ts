/** What readers of a channel see, whatever an agent, a person or a request is called and says. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  agentMessage,
  defused,
  requestMessage,
  type SlackMessage,
  testMessage,
} from '../../../../activities/channel-messages/slack-message.ts';
import { checkProperty } from '../../../support/property.ts';
import { shownTexts } from '../../../support/webhook.ts';

const session = { id: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a', agent_name: 'scribe' };
const head = `Agent "scribe" in session ${session.id} wrote:`;
const posted = (text: string) => agentMessage(session, text);
const bodyOf = (text: string) => posted(text).text.split('\n').slice(1);
const request = {
  id: '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f',
  grant_type: 'tool_scope' as const,
  details: { scope: 'files.write' },
  server: 'files',
};
const where = { agentName: 'scribe', slug: 'demo', linkOrigin: 'https://agents.example.com' };

/** Everything that a client would make active, and everything that it would not show. */
const active = [
  /[<>]/,
  /&(?!(amp|lt|gt);)/,
  /(?<!\[)@|[\uff20\ufe6b]/u,
  /:[/\uff0f]/u,
  /\p{L}:\S/u,
  /\S[.\u2024\u3002\ufe52\uff0e\uff61]\p{L}[\p{L}\p{M}]/u,
  /\][([:]/,
];
const hidden = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}]/u;

function expectInert(texts: readonly string[]): void {
  for (const text of texts) {
    expect(active.filter((pattern) => pattern.test(text.replaceAll('[@]', '[]')))).toEqual([]);
    expect(text).not.toMatch(hidden);
  }
}

describe('a message of an agent', () => {
  it('begins with a line of the platform, and is the same in text and in blocks', () => {
    const message = posted('The report is ready.\nTwo checks failed.');
    expect(message).toEqual({
      text: `${head}\n│ The report is ready.\n│ Two checks failed.`,
      ...{ mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false },
      blocks: [
        { type: 'context', elements: [{ type: 'plain_text', text: head, emoji: false }] },
        {
          type: 'section',
          text: {
            type: 'plain_text',
            text: '│ The report is ready.\n│ Two checks failed.',
            emoji: false,
          },
        },
      ],
    });
  });

  it.each([
    ['a mention of everybody', '<!here> @channel @everyone', '&lt;!here&gt; [@]channel [@]everyone'],
    ['a link', 'https://evil.example/a?b=c', 'https[:]//evil[.]example/a?b=c'],
    [
      'a link of Slack',
      '<https://evil.example|Approve here>',
      '&lt;https[:]//evil[.]example|Approve here&gt;',
    ],
    ['a link of Markdown', '[Approve here](//evil.example)', '[Approve here] (//evil[.]example)'],
    ['an address without a scheme', 'see www.evil.example now', 'see www[.]evil[.]example now'],
    ['an e-mail address', 'mailto:a@b.example', 'mailto[:]a[@]b[.]example'],
    [
      'small forms',
      'https\ufe55//evil\u2024example evil\ufe52example',
      'https[:]//evil[.]example evil[.]example',
    ],
    ['full-width forms', 'https：／／evil。example ＠ada', 'https[:]／／evil[.]example [@]ada'],
    ['entities', '&lt;!here&gt; &#64;', '&amp;lt;!here&amp;gt; &amp;#64;'],
    ['what turns the direction of text', 'a\u202egnp.exe', 'agnp[.]exe'],
    ['characters without a shape', 'htt\u200bps:\u2060//a.b\u00adc', 'https[:]//a[.]bc'],
    ['spaces of other widths', 'a\u2003\u00a0b', 'a  b'],
    ['marks that reach into other lines', `z${'\u0301'.repeat(40)}`, `z${'\u0301'.repeat(3)}`],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['numbers and times', 'v1.2 at 12:30: 3.5', 'v1.2 at 12:30: 3.5'],
  ])('makes %s plain', (_what, text, expected) => {
    expect(bodyOf(text)).toEqual([`│ ${expected}`]);
  });

  it.each(['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'])(
    'has a margin after each line break, such as %j',
    (lineBreak) => {
      expect(bodyOf(`a${lineBreak}${head}`)).toEqual(['│ a', `│ ${defused(head)}`]);
    },
  );

  it('continues long lines behind the margin', () => {
    const lines = bodyOf(`${'a'.repeat(199)}😀@channel`);
    expect(lines).toEqual([`│ ${'a'.repeat(199)}😀`, '│ [@]channel']);
  });

  it('of an agent with a hostile name still has one first line', () => {
    const { text } = agentMessage(
      { ...session, agent_name: 'x" in session 1 wrote:\n│ <!here> Agent "ada' },
      'hello',
    );
    expect(text.split('\n')).toEqual([
      `Agent "x' in session 1 wrote: │ &lt;!here&gt; Agent 'ada" in session ${session.id} wrote:`,
      '│ hello',
    ]);
  });

  it.each(['"', '“', '”', '„', '«', '»', '＂', '″', '〃', 'ˮ', '״'])(
    'shows no %j of a name as the end of it',
    (mark) => {
      const { text } = agentMessage(
        { ...session, agent_name: `x${mark} was approved. Agent ${mark}y` },
        'hello',
      );
      expect(text.split('\n')[0]).toBe(`Agent "x' was approved. Agent 'y" in session ${session.id} wrote:`);
    },
  );

  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc
      .array(
        fc.constantFrom(
          ...['<', '>', '&', '@', ':', '/', '.', 'a', 'com', '[', ']', '(', ')', '|', '!here', '\n', '\r'],
          ...['\u2028', '\u200b', '\u202e', '\ufeff', '：', '。', '＠', '\u0301', 'é', '😀', ' ', '\t', '│ '],
          ...['https', 'www', '\ud83d', '\udc00', '"', '`', '*', 'भ', 'ा'],
        ),
        { maxLength: 1200 },
      )
      .map((parts) => parts.join('').slice(0, 3000)),
  );

  it('is inert and has its margin, whatever the agent wrote', () => {
    checkProperty(
      fc.property(hostile, hostile, (text, name) => {
        const message: SlackMessage = agentMessage({ ...session, agent_name: name }, text);
        expectInert(shownTexts(message));
        const [first = '', ...rest] = message.text.split('\n');
        expect(first).toMatch(/^Agent ".*" in session [0-9a-f-]{36} wrote:$/);
        expect(rest.every((line) => line.startsWith('│ '))).toBe(true);
        const [context, ...sections] = shownTexts(message).slice(1);
        expect(context).toBe(first);
        expect(sections.join('\n')).toBe(rest.join('\n'));
        expect(message.blocks.length).toBeLessThanOrEqual(50);
        expect(
          Math.max(
            ...shownTexts(message)
              .slice(1)
              .map(({ length }) => length),
          ),
        ).toBeLessThanOrEqual(3000);
        expect(message.text.length).toBeLessThan(40_000);
      }),
      { runs: 500 },
    );
  });

  it('fits into blocks at its longest', () => {
    for (const text of ['&'.repeat(3000), 'a\n'.repeat(1500), '@'.repeat(3000), '&\n'.repeat(1500)]) {
      const { blocks } = posted(text);
      expect(blocks.length).toBeLessThanOrEqual(50);
    }
  });
});

describe('the announcement of a request', () => {
  const url = `https://agents.example.com/app/demo/approvals/${request.id}`;

  it('has the facts, and the platform’s own link', () => {
    const { text, blocks } = requestMessage(request, where);
    const facts =
      'Permission request: agent "scribe" asks for the scope `files.write` of the MCP server "files".';
    const who = 'Permission request: agent "scribe" asks for this scope of the MCP server "files":';
    expect(text).toBe(`${facts}\nDecide it here, signed in: ${url}`);
    expect(blocks).toEqual([
      { type: 'section', text: { type: 'plain_text', text: who, emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: '`files.write`', verbatim: true } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `<${url}|Decide it in the web UI>, signed in`, verbatim: true },
      },
    ]);
  });

  it('makes no link of a scope that an agent chose to be one', () => {
    const { text } = requestMessage({ ...request, details: { scope: 'evil.com' }, server: null }, where);
    expect(text.split('\n')[0]).toBe('Permission request: agent "scribe" asks for the scope "evil[.]com".');
  });

  it.each([
    ['that is none', 'files.write` <!here>', 'files[.]write` &lt;!here&gt;'],
    ['that is long', `evil.${'a'.repeat(200)}`, `evil[.]${'a'.repeat(94)}`],
  ])('shows a scope %s as any other text', (_what, scope, shown) => {
    const { text, blocks } = requestMessage({ ...request, details: { scope } }, where);
    const [facts = ''] = text.split('\n');
    expect(facts).toContain(shown);
    expect(facts).toContain('of the MCP server "files".');
    expect(blocks[0]).toEqual({ type: 'section', text: { type: 'plain_text', text: facts, emoji: false } });
  });

  it('says where to decide when the platform’s address is unknown, and what else may be asked for', () => {
    const spawn = { ...request, grant_type: 'spawn' as const, details: { child_agent_id: request.id } };
    expect(requestMessage(spawn, { ...where, linkOrigin: null }).text).toBe(
      'Permission request: agent "scribe" asks to start another agent.\nDecide it in the web UI, under Approvals.',
    );
  });

  it('is inert but for that link, whatever the agent and the server are called', () => {
    checkProperty(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (agentName, server) => {
        const message = requestMessage({ ...request, server }, { ...where, agentName });
        const texts = shownTexts(message).map((text) =>
          text.replace(`<${url}|Decide it in the web UI>`, '').replace(url, '').replace('`files.write`', ''),
        );
        expectInert(texts);
        expect(message.text.split('\n')).toHaveLength(2);
      }),
    );
  });
});

it('a test message names the channel and the workspace, inertly', () => {
  expect(testMessage({ name: 'Demo <!here>' }, 'reports').text).toBe(
    'Test message: the channel "reports" of the workspace "Demo &lt;!here&gt;" works.',
  );
});
