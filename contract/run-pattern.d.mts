import type { PatternTask, PatternVerdict } from './patterns.ts';

/**
 * Compiles the expression and matches the whole text, in time that is linear in the text. It blocks its caller: servers
 * call it in a thread that has a deadline, browsers for what their own user typed.
 */
export function runPattern(task: PatternTask): PatternVerdict;
