/** The model program's command line: one argument, as JSON. Pure. */
import { fieldProblemsOf } from '../../contract/errors.ts';
import { type ModelProgramConfig, modelProgramConfig } from '../../contract/model-program.ts';

export type ModelMode = { mode: 'run'; config: ModelProgramConfig } | { mode: 'help' };

export const modelUsage = `Usage:
  model-program <configuration as JSON>
      answers POST at the one path of its dialect, such as /v1/messages, on connections that it keeps open to a socket, and asks the endpoint of a language model for the answers.
      The configuration, such as
        {"dialect":"messages","base_url":"https://models.example.com","models":[],"default_max_tokens":16384,"socket_directory":"/run/platform/model","private_hosts":{}}
      holds no key: that is the variable MODEL_API_KEY.
`;

/** Throws an Error that says in one line what is wrong with the arguments. */
export function parseModelArguments(given: readonly string[]): ModelMode {
  const [text, ...rest] = given;
  if (text === undefined || rest.length > 0) {
    throw new Error('expected one argument, the configuration as JSON; --help shows an example');
  }
  if (text === '--help' || text === '-h') {
    return { mode: 'help' };
  }
  const parsed = modelProgramConfig.safeParse(parsedText(text));
  if (!parsed.success) {
    const [first] = fieldProblemsOf(parsed.error);
    throw new Error(`the configuration is not valid: ${first?.path || 'it'}: ${first?.message}`);
  }
  return { mode: 'run', config: parsed.data };
}

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the configuration is not JSON; --help shows an example');
  }
}
