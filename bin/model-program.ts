/**
 * Asks a language model for a session's agent, with a key that the agent never has
 * (docs/decisions/0056-model-access.md).
 */
import { modelKeyVariable } from '../contract/model-program.ts';
import { describeError } from '../contract/sentences.ts';
import { modelUsage, parseModelArguments } from '../relay/model/arguments.ts';
import { serveModel } from '../relay/model/serve.ts';

const report = (error: unknown) => process.stderr.write(`model-program: ${describeError(error)}\n`);

async function run(): Promise<number> {
  let parsed: ReturnType<typeof parseModelArguments>;
  try {
    parsed = parseModelArguments(process.argv.slice(2));
  } catch (error) {
    report(error);
    return 2;
  }
  if (parsed.mode === 'help') {
    process.stdout.write(modelUsage);
    return 0;
  }
  const key = process.env[modelKeyVariable] ?? '';
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  process.once('SIGINT', () => stopping.abort());
  await serveModel({ config: parsed.config, key, signal: stopping.signal });
  return 0;
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    report(error);
    process.exit(1);
  },
);
