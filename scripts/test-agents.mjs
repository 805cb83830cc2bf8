/** `npm run test:agents`: agents of others, each through the whole loop ten times, one after the other. */
import { fileURLToPath } from 'node:url';
import { runShown } from './test/child.mjs';
import { notePassed } from './test/last-passed.mjs';
import { readResult } from './test/results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { AGENT_ROUNDS = '10' } = process.env;

const passed = await runShown('npm test -- acp', ['scripts/test.mjs', 'acp'], root, { AGENT_ROUNDS });
const { skipped, secondTries } = readResult(root, 'acp');
// Fewer rounds, or fewer agents, say less.
if (passed && skipped === 0 && secondTries.length === 0 && Number(AGENT_ROUNDS) >= 10) {
  await notePassed(root, process.env, 'agents');
}
process.exitCode = passed ? 0 : 1;
