/** Lines end at column 110. Biome breaks code there; comments and what it cannot break are looked at here. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const mostColumns = 110;

const measured = /\.(ts|tsx|mjs|cjs|js|c|h|css)$/;
/** Made by programs, or kept as they were recorded. */
const notWritten =
  /^(web\/src\/api\/schema\.d\.ts|relay\/static\/special-ranges\.h)$|^test\/replay\/histories\//;

const comment = /^\s*(\/\/|\/\*|\*( |\/|$))/;
/** What tools read has to stay on its line, and so has a word without an end, such as an address. */
const unbreakable = /^\s*(\/\/ biome-ignore |(\/\/|\/?\*+) \S+$)/;
/** Whoever reads a line with one of these sees what would have to be broken. */
const quotes = /['"`]/;

/** The numbers of lines that are longer than they may be. */
function longLines(path: string, text: string): number[] {
  const lines = text.split('\n');
  const suspects = lines.flatMap((line, at) => {
    const isLong = line.length > mostColumns && !unbreakable.test(line);
    return isLong && (comment.test(line) || !quotes.test(line)) ? [at] : [];
  });
  if (suspects.length === 0 || !/\.(tsx?|[cm]?js)$/.test(path)) {
    return suspects.map((at) => at + 1);
  }
  const literal = linesOfLiterals(path, text);
  return suspects.filter((at) => !literal.has(at)).map((at) => at + 1);
}

/** Lines, from 0 on, that a string, a template, an expression or the text of an element is in. */
function linesOfLiterals(path: string, text: string): Set<number> {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateExpression(node) ||
      ts.isRegularExpressionLiteral(node) ||
      ts.isJsxText(node);
    if (isText) {
      const first = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line;
      const last = tree.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = first; line <= last; line += 1) {
        lines.add(line);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return lines;
}

describe('the length of lines', () => {
  it('is 110 columns, but for what cannot be broken', () => {
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .filter((path) => measured.test(path) && !notWritten.test(path) && existsSync(path));
    expect(files.length).toBeGreaterThan(1000);
    const found = files.flatMap((path) =>
      longLines(path, readFileSync(path, 'utf8')).map((line) => `${path}:${line}`),
    );
    expect(found).toEqual([]);
  });

  const words = 'a word '.repeat(20);
  it.each([
    ['a comment', `// ${words}`],
    ['a comment in a block', `/**\n * ${words}\n */`],
    ['a comment of one line', `/* ${words} */`],
    ['code', `const x = ${'1 + '.repeat(40)}1;`],
  ])('is kept by %s', (_what, text) => {
    expect(longLines('lib/x.ts', text)).toHaveLength(1);
    expect(longLines('relay/static/x.c', text)).toHaveLength(1);
  });

  it.each([
    ['a string', `const x = '${words}';`],
    ['a template of several lines', `const x = \`\n${words}\n// ${words}\n\`;`],
    ['an address', `// https://example.com/${'a'.repeat(120)}`],
    ['what a tool reads', `// biome-ignore lint/x: ${words}`],
  ])('is not that of %s', (_what, text) => {
    expect(longLines('lib/x.ts', text)).toEqual([]);
  });
});
