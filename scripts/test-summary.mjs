/** `node scripts/test-summary.mjs NAME ...`: sums the last runs of these tiers (`default`: what `npm test` runs), as CI shows them. */
import { fileURLToPath } from 'node:url';
import { printSummary, readResult } from './test/results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
printSummary(process.argv.slice(2).map((name) => readResult(root, name)));
