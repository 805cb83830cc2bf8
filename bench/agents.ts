/**
 * `npm run bench:agents`: what a session costs an agent of somebody else, beside the same agent bare, both
 * asking the same scripted model.
 */
import { parseArgs } from 'node:util';
import { openBareAgent } from './agents/bare.ts';
import type { Asked, MeasuredAgent } from './agents/measured-agent.ts';
import { callsOfTurn, type Task } from './agents/model.ts';
import { openAgentInSession } from './agents/on-the-platform.ts';
import {
  aimsTable,
  atMost,
  conclude,
  inTurns,
  machineLine,
  median,
  orUsage,
  ratioOf,
  ratioText,
  table,
  whole,
} from './shared/harness.ts';

const usage = `npm run bench:agents -- [options]

OpenCode in a session and bare, in turns: until the first words of an answer are seen, and until the end of a turn
with ${callsOfTurn} calls of an MCP server. The model waits 300 ms before its first words. Then it reads from /proc what the
platform's client and its links to four servers take in a session (PSS). It needs \`npm run acp:install -- opencode\`.

  --turns N    how many of each, after 2 to warm up (default 15)
  --json FILE  writes every figure
  --check      exits with 1 when an aim is missed
`;

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '15' },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values.help
    ? 'help'
    : { turns: whole('--turns', values.turns), json: values.json ?? null, check: values.check };
});

const warmUps = 2;
const tasks: readonly Task[] = ['answer', 'call'];
const agents: MeasuredAgent[] = [];
try {
  const inSession = await openAgentInSession();
  agents.push(inSession);
  const bare = await openBareAgent();
  agents.push(bare);
  const measures = agents.flatMap((agent) => tasks.map((task) => () => agent.ask(task)));
  const [said, called, bareSaid, bareCalled] = (
    await inTurns({ turns: options.turns, warmUps }, measures)
  ).map((samples, at) => samples.map((asked) => figureOf(tasks[at % tasks.length], asked))) as [
    number[],
    number[],
    number[],
    number[],
  ];
  const ratios = { firstWords: ratioOf(said, bareSaid), turn: ratioOf(called, bareCalled) };
  const clientBytes = await inSession.clientBytes();
  const row = (name: string, times: readonly number[]) => [name, `${median(times).toFixed(0)} ms`];
  const aims = [
    atMost('first words in a session / bare', 1.1, ratios.firstWords.median),
    atMost(`a turn of ${callsOfTurn} calls in a session / bare`, 1.2, ratios.turn.median),
    atMost('client and links to four servers, MiB', 60, clientBytes / 1024 ** 2),
  ];
  console.log(
    [
      machineLine(),
      table([
        ['median', ''],
        row('first words, in a session', said),
        row('first words, bare', bareSaid),
        row(`a turn of ${callsOfTurn} calls, in a session`, called),
        row(`a turn of ${callsOfTurn} calls, bare`, bareCalled),
      ]),
      `ratios, with their quartiles: first words ${ratioText(ratios.firstWords)}, turn ${ratioText(ratios.turn)}`,
      aimsTable(aims),
    ].join('\n\n'),
  );
  process.exitCode = conclude(options, {
    figures: { said, called, bareSaid, bareCalled, clientBytes },
    aims,
  });
} finally {
  await Promise.all(agents.map((agent) => agent.close()));
}
process.exit();

function figureOf(task: Task | undefined, { firstWordsMs, endMs }: Asked): number {
  return task === 'answer' ? firstWordsMs : endMs;
}
