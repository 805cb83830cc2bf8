/** Plain JavaScript: a worker thread runs it unmodified. Its types are in run-pattern.d.mts. */
import { RE2JS } from 're2js';

export function runPattern({ regex, text }) {
  let compiled;
  try {
    compiled = RE2JS.compile(regex);
  } catch (error) {
    return { result: 'invalid', reason: error instanceof Error ? error.message : 'it cannot be read' };
  }
  if (text === null) {
    return { result: 'compiles' };
  }
  return { result: compiled.matches(text) ? 'matches' : 'differs' };
}
