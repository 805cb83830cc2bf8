/** What holds of commands/, and of the one way in which grants are written (docs/grants.md#who-writes-one). */
import ts from 'typescript';
import { importedModule, resolve } from './imported-module.ts';
import type { Add } from './rules.ts';

export function checkCommands(node: ts.Node, path: string, folder: string, add: Add): void {
  checkStatements(node, folder, add);
  checkTransactions(node, path, folder, add);
  checkGrantWriters(node, path, folder, add);
}

/** A command names statements of store/ in the order that its rule needs, and hands them the transaction. */
function checkStatements(node: ts.Node, folder: string, add: Add): void {
  const isStatement =
    (ts.isCallExpression(node) && /^(db|trx|prepared)$/.test(node.expression.getText())) ||
    (ts.isPropertyAccessExpression(node) &&
      (/^(db|trx)$/.test(node.expression.getText()) || node.name.text === 'raw'));
  if (folder === 'commands' && isStatement) {
    add(node, 'a command holds no SQL: a statement is a function of store/, which is given the transaction');
  }
}

/** Statements that belong together are a command's; only the writer of grants verifies a signature between them. */
function checkTransactions(node: ts.Node, path: string, folder: string, add: Add): void {
  const isOpened =
    ts.isCallExpression(node) && /^inTransaction$|\.transaction$/.test(node.expression.getText());
  const mayOpen =
    !['activities', 'api', 'bin', 'bin/start'].includes(folder) ||
    path === 'activities/grants/carry-out-decision.ts';
  if (isOpened && !mayOpen) {
    add(node, 'several statements in one transaction are a command: one file per verb in commands/');
  }
}

/** From the statement that writes a grant to the one activity that may, each with the only file that uses it. */
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
