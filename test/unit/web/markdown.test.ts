import { describe, expect, it } from '@jest/globals';
import {
  type Block,
  type Inline,
  isDrawable,
  readInline,
  readMarkdown,
} from '../../../web/src/text/markdown.ts';

/** As few signs as tell what was read as what. */
const shownInline = (part: Inline): string =>
  part.kind === 'text'
    ? part.text
    : `<${part.kind} ${part.kind === 'link' ? `${part.address} ` : ''}${part.text}>`;
const shown = (block: Block): string => {
  switch (block.kind) {
    case 'code':
      return `code: ${block.text}`;
    case 'rule':
      return 'rule';
    case 'list':
      return block.items
        .map(({ depth, number, content }) => `${depth}${number ?? '-'} ${content.map(shownInline).join('')}`)
        .join(' | ');
    default:
      return `${block.kind}: ${block.content.map(shownInline).join('')}`;
  }
};
const read = (text: string) => readMarkdown(text).map(shown);

describe('the Markdown of an agent', () => {
  it('is read in blocks, each with its own marks', () => {
    expect(
      read(
        [
          '# The *plan*',
          'first line',
          'second **bold** line',
          '- one `code`',
          '  - below',
          '1. numbered',
          '',
          '> quoted',
          '---',
          '```sh',
          '# no **heading**',
          '```',
          'last',
        ].join('\n'),
      ),
    ).toEqual([
      'heading: The <emphasis plan>',
      'paragraph: first line\nsecond <strong bold> line',
      '0- one <code code> | 1- below | 01. numbered',
      'quote: quoted',
      'rule',
      'code: # no **heading**',
      'paragraph: last',
    ]);
  });

  it.each([
    ['HTML', '<img src=x onerror=alert(1)><script>1</script>'],
    ['a link that runs', '[click](javascript:alert(1))'],
    ['a link to data', '[click](data:text/html,hi)'],
    ['marks that do not end', '**bold `code [link](http'],
    ['signs within words', 'snake_case 2*3*4 a**'],
  ])('keeps %s as the text that it is', (_what, text) => {
    expect(read(text)).toEqual([`paragraph: ${text}`]);
  });

  it('shows of an image no more than an address that is a link like others', () => {
    expect(readInline('![alt](https://evil.test/p.png)').map(shownInline)).toEqual([
      '![alt](',
      '<link https://evil.test/p.png https://evil.test/p.png>',
      ')',
    ]);
  });

  it('knows where a link leads, whatever its text says', () => {
    expect(
      readInline('See [https://good.test](https://evil.test/x), https://plain.test.').map(shownInline),
    ).toEqual([
      'See ',
      '<link https://evil.test/x https://good.test>',
      ', ',
      '<link https://plain.test https://plain.test>',
      '.',
    ]);
  });

  it('makes no link of an address that names somebody before its host', () => {
    expect(
      readInline('[us](https://github.com@evil.test/) https://a:b@evil.test').map(shownInline).join(''),
    ).toBe('us (https://github.com@evil.test/) https://a:b@evil.test');
  });

  it.each(['- a\n', '`a` ', '*a* ', 'https://a ', '> *a* \n', '# a\n', '1. `a` *b*\n'])(
    'is no more than a text where it has too many parts to draw: %j',
    (part) => {
      expect(isDrawable(readMarkdown(part.repeat(100)))).toBe(true);
      expect(isDrawable(readMarkdown(part.repeat(Math.ceil(65_536 / part.length))))).toBe(false);
    },
  );

  it.each(['*', '`', '[', '**a', '[a](', 'https://', '> ', '- ', '#', '```\n', '\n', '_'])(
    'is read within the time of a test, whatever is repeated: %j',
    (part) => {
      const text = part.repeat(Math.ceil(65_536 / part.length));
      expect(readMarkdown(text).length).toBeLessThanOrEqual(65_536);
    },
  );

  it('is left as it is from the 2,000th line on', () => {
    const blocks = readMarkdown(`${'- a\n'.repeat(1_999)}b\n\n# not read\n\n# not read`);
    expect(blocks.map(({ kind }) => kind)).toEqual(['list', 'paragraph', 'paragraph']);
  });
});
