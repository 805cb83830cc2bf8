/** Finds queries of the store whose rows have a type that nothing guarantees (store/read-rows.ts). */
import { relative } from 'node:path';
import ts from 'typescript';

/**
 * Where the driver's own results are: connections, and the rows of a prepared statement before they are read.
 */
const ofTheDriver = new Set(['store/database.ts', 'store/migrate.ts']);

/**
 * Awaited and returned queries among the sources whose rows the compiler does not know, as
 * `path:line`. `planted` are further sources, by path; `tables` are files that tell the compiler
 * of tables, for all others.
 */
export function untypedQueries(
  paths: readonly string[],
  planted: Readonly<Record<string, string>>,
  tables: readonly string[],
): string[] {
  const program = ts.createProgram([...tables, ...paths, ...Object.keys(planted)], ...compile(planted));
  const checker = program.getTypeChecker();
  const found: string[] = [];
  for (const path of [...paths, ...Object.keys(planted)]) {
    const tree = program.getSourceFile(path);
    const visit = (node: ts.Node): void => {
      const query = resultOf(node, checker);
      if (query !== null && tree !== undefined && !isTyped(query, checker)) {
        found.push(`${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    if (tree !== undefined && !ofTheDriver.has(path)) {
      visit(tree);
    }
  }
  return found;
}

function compile(planted: Readonly<Record<string, string>>): [ts.CompilerOptions, ts.CompilerHost] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, '.');
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const textOf = (path: string) => planted[relative(process.cwd(), path)];
  return [
    { ...options, incremental: false },
    {
      ...host,
      fileExists: (path) => textOf(path) !== undefined || host.fileExists(path),
      readFile: (path) => textOf(path) ?? host.readFile(path),
      getSourceFile: (path, ...rest) => {
        const text = textOf(path);
        return text === undefined
          ? host.getSourceFile(path, ...rest)
          : ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      },
    },
  ];
}

/**
 * What a node waits for: of an `await` whose result is used, or of a `return` where a
 * promise is due; else null.
 */
function resultOf(node: ts.Node, checker: ts.TypeChecker): ts.Expression | null {
  if (ts.isAwaitExpression(node)) {
    return ts.isExpressionStatement(node.parent) ? null : node.expression;
  }
  const returned = ts.isReturnStatement(node)
    ? node.expression
    : ts.isArrowFunction(node) && !ts.isBlock(node.body)
      ? node.body
      : undefined;
  const of = ts.isArrowFunction(node) ? node : ts.findAncestor(node, ts.isFunctionLike);
  const signature = of === undefined ? undefined : checker.getSignatureFromDeclaration(of);
  const isPromise =
    signature !== undefined && checker.getReturnTypeOfSignature(signature).symbol?.name === 'Promise';
  return isPromise ? (returned ?? null) : null;
}

function isTyped(query: ts.Expression, checker: ts.TypeChecker): boolean {
  const type = checker.getTypeAtLocation(query);
  return !isUnguarded(type, checker) && !holdsAny(checker.getAwaitedType(type) ?? type, checker);
}

/** A query of no known table, or whose rows were claimed by a type argument or by what the caller returns. */
function isUnguarded(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.symbol?.name === 'Raw') {
    return true;
  }
  if (type.symbol?.name !== 'QueryBuilder') {
    return false;
  }
  const [record, result] = typeArguments(type, checker);
  if (record === undefined || result === undefined || record.flags & ts.TypeFlags.Any) {
    return result === undefined || !(result.flags & ts.TypeFlags.Number);
  }
  const parts = (result.isUnion() ? result.types : [result]).map((part) =>
    checker.isArrayType(part) ? typeArguments(part, checker)[0] : part,
  );
  const plain = ts.TypeFlags.NumberLike | ts.TypeFlags.StringLike | ts.TypeFlags.Undefined;
  // The mark of what knex derives from the table.
  return !parts.every((part) => part && (part.flags & plain || part.getProperty('_base') !== undefined));
}

function holdsAny(type: ts.Type, checker: ts.TypeChecker, depth = 0): boolean {
  if (type.flags & ts.TypeFlags.Any) {
    return true;
  }
  if (type.isUnionOrIntersection()) {
    return type.types.some((part) => holdsAny(part, checker, depth));
  }
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    return typeArguments(type, checker).some((part) => holdsAny(part, checker, depth + 1));
  }
  const isPlain = type.aliasSymbol !== undefined || /^__(type|object)$/.test(type.symbol?.name ?? '__type');
  return (
    depth < 3 &&
    Boolean(type.flags & ts.TypeFlags.Object) &&
    isPlain &&
    type.getProperties().some((property) => holdsAny(checker.getTypeOfSymbol(property), checker, depth + 1))
  );
}

const typeArguments = (type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] =>
  isReference(type) ? checker.getTypeArguments(type) : [];

const isReference = (type: ts.Type): type is ts.TypeReference => 'target' in type;
