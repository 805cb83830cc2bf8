/**
 * What holds of commands/, and of the one way in which grants are written (docs/grants.md#who-writes-one).
 */
import ts from 'typescript';
import { importedModule, resolve } from './imported-module.ts';
import type { Add } from './rules.ts';

export function checkCommands(node: ts.Node, path: string, folder: string, add: Add): void {
  checkStatements(node, folder, add);
  checkRawSql(node, path, folder, add);
  checkTransactions(node, path, folder, add);
  checkGrantWriters(node, path, folder, add);
  checkGrantStatements(node, path, folder, add);
}

/**
 * A command names statements of store/ in the order that its rule needs, and hands them the transaction. So
 * do a route and an activity.
 */
function checkStatements(node: ts.Node, folder: string, add: Add): void {
  const isQuery = ts.isCallExpression(node) && /(^|\.)(db|trx)$/.test(node.expression.getText());
  if (isQuery && ['api', 'activities', 'bin', 'bin/start'].includes(folder)) {
    add(node, 'a statement is a function of store/');
  }
  const isStatement =
    (ts.isCallExpression(node) && /^(db|trx|prepared)$/.test(node.expression.getText())) ||
    (ts.isPropertyAccessExpression(node) &&
      (/^(db|trx)$/.test(node.expression.getText()) || node.name.text === 'raw'));
  if (folder === 'commands' && isStatement) {
    add(node, 'a command holds no SQL: a statement is a function of store/, which is given the transaction');
  }
}

const sql =
  /^\s*(select|insert|update|delete|merge|with|show|set|create|drop|alter|truncate|vacuum|analyze|begin|lock|listen|notify)\b/i;
/**
 * `npm start` makes the database and recognises its own server before there is a pool that
 * `store/` could be given.
 */
const makesTheDatabase = 'bin/start/postgres.ts';

/** Only store/ and migrations/ speak SQL, through whichever name a connection has. */
function checkRawSql(node: ts.Node, path: string, folder: string, add: Add): void {
  const mayBeSql =
    !['store', 'migrations', 'test', 'bench', 'scripts'].includes(folder) && path !== makesTheDatabase;
  // A command's `raw` is a violation whatever it runs.
  const calls = folder === 'commands' ? /\.query$/ : /\.(raw|query)$/;
  if (!mayBeSql || !ts.isCallExpression(node) || !calls.test(node.expression.getText())) {
    return;
  }
  if (node.arguments.flatMap(statementsIn).some(isSql)) {
    add(node, 'a statement is a function of store/: only store/ and migrations/ speak SQL');
  }
}

/** An argument, and the `text` of one that is an object, as the driver takes it. */
function statementsIn(argument: ts.Expression): ts.Expression[] {
  return ts.isObjectLiteralExpression(argument)
    ? argument.properties.flatMap((property) =>
        ts.isPropertyAssignment(property) && property.name.getText() === 'text' ? [property.initializer] : [],
      )
    : [argument];
}

function isSql(node: ts.Expression): boolean {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
  return isText && sql.test(node.getText().slice(1));
}

/**
 * Statements that belong together are a command's; only the writer of grants verifies
 * a signature between them.
 */
function checkTransactions(node: ts.Node, path: string, folder: string, add: Add): void {
  const isOpened =
    ts.isCallExpression(node) && /^inTransaction$|\.transaction$/.test(node.expression.getText());
  const mayOpen =
    !['activities', 'api', 'bin', 'bin/start'].includes(folder) ||
    path === 'activities/grants/carry-out-decision.ts';
  if (isOpened && !mayOpen) {
    add(node, 'several statements in one transaction are a command: a function in commands/');
  }
}

/**
 * From the statement that writes a grant to the one activity that may, each with the only file that uses it.
 */
const grantWriters: Record<string, string> = {
  'store/grants/insert.ts': 'commands/grants/write.ts',
  'commands/grants/write.ts': 'commands/decisions/approve.ts',
  'commands/decisions/approve.ts': 'activities/grants/carry-out-decision.ts',
};

function checkGrantWriters(node: ts.Node, path: string, folder: string, add: Add): void {
  const specifier = importedModule(node)?.specifier;
  const target = specifier?.startsWith('.') ? resolve(path, specifier) : '';
  const user = grantWriters[target];
  if (user !== undefined && user !== path && folder !== 'test') {
    add(
      node,
      `grants are written by one activity, after it verified an approval: ${target} is for ${user} only`,
    );
  }
}

const writesGrants = /\b(insert into|update|delete from|merge into)\s+(only\s+)?(active_)?grants\b/i;
const grantStatements = /^store\/grants\/(insert|change|check-and-consume)\.ts$/;

/**
 * Rows of grants change in three files: one inserts them, one revokes and consumes them, and
 * one is the check of a call.
 */
function checkGrantStatements(node: ts.Node, path: string, folder: string, add: Add): void {
  const mayWrite = ['migrations', 'test'].includes(folder) || grantStatements.test(path);
  const isSql =
    (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && writesGrants.test(node.text);
  const isWrite =
    ts.isPropertyAccessExpression(node) &&
    /^(insert|update|delete|del|truncate|increment|decrement)$/.test(node.name.text) &&
    /\('(active_)?grants'/.test(node.expression.getText());
  if (!mayWrite && (isSql || isWrite)) {
    add(node, 'grants are changed by the statements of store/grants and nowhere else');
  }
}
