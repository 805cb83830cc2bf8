/**
 * Retries and limits of time each have one implementation, which reports the cause
 * and leaves no timer behind.
 */
import ts from 'typescript';
import type { Add } from './rules.ts';

/** Tests and scripts time as they like, the browser's queries retry by themselves, and so do workflows. */
const timesFreely = new Set(['lib/timing', 'test', 'bench', 'scripts', 'web', 'workflows']);
const multiplies = new Set([
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.AsteriskEqualsToken,
  ts.SyntaxKind.AsteriskAsteriskToken,
]);

/** Finds delays that grow, and limits of time that are made by hand. */
export function checkTiming(node: ts.Node, folder: string, add: Add): void {
  if (timesFreely.has(folder)) {
    return;
  }
  if (ts.isBinaryExpression(node) && multiplies.has(node.operatorToken.kind)) {
    const operands = [node.left.getText(), node.right.getText()];
    if (operands.some((each) => /(delay|pause|backoff)(Ms)?$/i.test(each))) {
      add(node, 'a delay that grows is one of lib/timing/retry.ts');
    }
  }
  if (ts.isCallExpression(node) && isLimit(node.expression.getText(), node.getText())) {
    add(node, 'a limit of time is one of lib/timing/time-limit.ts');
  }
}

function isLimit(called: string, text: string): boolean {
  switch (called) {
    case 'setTimeout':
      return /\breject\(|\.abort\(/.test(text);
    case 'Promise.race':
      return /\b(sleep|setTimeout)\(/.test(text);
    case 'AbortSignal.any':
      return text.includes('AbortSignal.timeout');
    default:
      return false;
  }
}
