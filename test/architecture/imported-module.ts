import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The module that an import, a re-export or a dynamic import with a fixed name refers to. */
export function importedModule(node: ts.Node): { specifier: string; typeOnly: boolean } | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return {
      specifier: node.moduleSpecifier.text,
      typeOnly: node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, typeOnly: node.isTypeOnly };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments;
    return argument && ts.isStringLiteralLike(argument)
      ? { specifier: argument.text, typeOnly: false }
      : null;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const { literal } = node.argument;
    return ts.isStringLiteral(literal) ? { specifier: literal.text, typeOnly: true } : null;
  }
  return null;
}

/** The path from the project's root that a relative specifier in the file `from` names. */
export function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') {
      parts.pop();
    } else if (part !== '.') {
      parts.push(part);
    }
  }
  return parts.join('/');
}

/**
 * The texts of a source file and of all that it imports from this project, each with
 * its path, in a fixed order.
 */
export function closureOf(path: string): string[] {
  const texts = new Map<string, string>();
  const visit = (each: string): void => {
    if (!texts.has(each)) {
      const { text, imports } = sourceAt(each);
      texts.set(each, text);
      imports.forEach(visit);
    }
  };
  visit(path);
  return [...texts].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat();
}

const read = new Map<string, { text: string; imports: string[] }>();

function sourceAt(path: string): { text: string; imports: string[] } {
  const known = read.get(path);
  if (known !== undefined) {
    return known;
  }
  const text = readFileSync(path, 'utf8');
  const imports = ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => resolve(path, fileName));
  const found = { text, imports };
  read.set(path, found);
  return found;
}
