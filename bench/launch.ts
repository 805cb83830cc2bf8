/** `npm run bench`: what a session's launch costs beside starting the same programs bare, both measured in this run. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { openBare } from './launch/bare.ts';
import { openPlatform } from './launch/on-the-platform.ts';

const usage = `npm run bench -- [--pairs N]

Starts a platform with data and ports of its own, and measures in turns:
  platform  POST a session (scripted agent, one \`files\` server), until its status is "running"
  bare      the same programs (sidecar, relay, agent) as plain processes, until the sockets are there,
            the agent was started and the sidecar reported
The ratio of the medians is the figure; the times depend on the machine.

  --pairs N   how many of each, after 3 to warm up (default 15)
`;
const warmUps = 3;

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '15' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const pairs = Number(values.pairs);
if (values.help || !Number.isInteger(pairs) || pairs < 1) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const platform = await openPlatform();
const bare = await openBare();
const took = { platform: [] as number[], bare: [] as number[] };
try {
  for (let pair = -warmUps; pair < pairs; pair += 1) {
    const platformMs = await platform.launch();
    const bareMs = await bare.launch();
    if (pair >= 0) {
      took.platform.push(platformMs);
      took.bare.push(bareMs);
    }
  }
} finally {
  await bare.close();
  await platform.close();
}

const sorted = (times: readonly number[]) => [...times].sort((a, b) => a - b);
const median = (times: readonly number[]) => {
  const all = sorted(times);
  const middle = all.length / 2;
  return ((all[Math.floor(middle)] ?? 0) + (all[Math.ceil(middle) - 1] ?? 0)) / 2;
};
const row = (name: string, times: readonly number[]) => {
  const all = sorted(times);
  const columns = [all[0], median(all), all.at(-1)].map((ms) => `${Math.round(ms ?? 0)} ms`.padStart(9));
  return `${name.padEnd(10)}${String(all.length).padStart(4)}${columns.join('')}`;
};

console.log(`session launch, create to running

${'what'.padEnd(10)}   n${['min', 'median', 'max'].map((name) => name.padStart(9)).join('')}
${row('platform', took.platform)}
${row('bare', took.bare)}

ratio of the medians: ${(median(took.platform) / median(took.bare)).toFixed(2)}

Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? process.arch}), load ${loadavg()
  .map((load) => load.toFixed(1))
  .join(' ')}`);
