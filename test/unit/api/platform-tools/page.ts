/** Writes `docs/platform-tools.md` from the definitions of the tools. */
import { type PlatformTool, shownSchema } from '../../../../api/platform-tools/tool.ts';

interface PageFacts {
  codes: Readonly<Record<string, string>>;
  maxAnswerBytes: number;
  defaults: { perMinute: number; atATime: number };
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bounds = [
  ['minLength', 'at least', 'characters'],
  ['maxLength', 'up to', 'characters'],
  ['minItems', 'at least', 'items'],
  ['maxItems', 'up to', 'items'],
  ['minimum', 'from', ''],
  ['maximum', 'to', ''],
] as const;

/** A type in a few words, such as `text (up to 64 characters)`. */
function kindOf(schema: Schema): string {
  const choices = schema['enum'] ?? schema['anyOf'];
  if (Array.isArray(choices)) {
    return choices
      .map((choice: unknown) => (isSchema(choice) ? kindOf(choice) : JSON.stringify(choice)))
      .join(', ');
  }
  const { type, format } = schema;
  const names: Record<string, string> = { string: 'text', object: 'object', array: 'list' };
  const base = typeof format === 'string' ? format : (names[String(type)] ?? String(type ?? 'anything'));
  const limits = bounds.flatMap(([key, before, after]) => {
    const value = schema[key];
    const isSaid = typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return isSaid && !(key.startsWith('min') && key !== 'minimum' && value <= 1)
      ? [`${before} ${value} ${after}`.trim()]
      : [];
  });
  return limits.length === 0 ? base : `${base} (${limits.join(', ')})`;
}

/** One row for each field, the fields of lists and objects below their own. */
function rowsOf(schema: Schema, prefix = ''): string[] {
  const { properties, required, items } = schema;
  if (isSchema(items)) {
    return rowsOf(items, `${prefix}[]`);
  }
  if (!isSchema(properties)) {
    return [];
  }
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isSchema(field)) {
      return [];
    }
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const isOptional = !(Array.isArray(required) && required.includes(name));
    const description = typeof field['description'] === 'string' ? field['description'] : '';
    const row = `| \`${path}${isOptional ? '?' : ''}\` | ${kindOf(field)} | ${description} |`;
    return [row, ...rowsOf(field, path)];
  });
}

const tableOf = (title: string, schema: Schema) =>
  [`| ${title} | Type | |`, '| --- | --- | --- |', ...rowsOf(schema)].join('\n');

const exampleOf = ({ input, output }: PlatformTool['example']) =>
  `\`\`\`json\n${JSON.stringify({ arguments: input, result: output }, null, 2)}\n\`\`\``;

const hintsOf = (annotations: PlatformTool['annotations']) =>
  `Annotations: ${Object.entries(annotations)
    .map(([name, value]) => `\`${name}: ${value}\``)
    .join(', ')}.`;

const sectionOf = (tool: PlatformTool) => `## ${tool.name}

${tool.title}. ${tool.description}

${hintsOf(tool.annotations)}

${tableOf('Argument', shownSchema(tool.input, 'input'))}

${tableOf('Result', shownSchema(tool.output, 'output'))}

${exampleOf(tool.example)}
`;

export function platformToolsPage(
  tools: readonly PlatformTool[],
  { codes, maxAnswerBytes, defaults }: PageFacts,
): string {
  const head = `# Tools that the API runs

Tools of the server \`platform\` that the API runs: on data of the workspace, and for trees of sessions. Made from their definitions in [\`api/platform-tools/\`](../api/platform-tools) by \`npm run docs\`; [what an agent can rely
on](agent-contract.md) has the rest of the server. The sidecar lists them and passes calls and answers on; the API validates, and decides by the session whose sidecar asks
([decision](decisions/0047-tools-that-the-api-runs.md)).

- A result is JSON text and \`structuredContent\`. It has ${maxAnswerBytes / 1024} KiB at most; tools leave out what is beyond, and say so.
- A session calls them ${defaults.perMinute} times a minute (\`RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE\`); each process of the API runs ${defaults.atATime} calls of a workspace at a time (\`LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS\`), and others wait for their turn; \`read_child_output\` takes no place.
- A call may be sent twice, when its answer was lost: what it writes is the same as once.
- Numbers are those of JavaScript. One that would lose digits, such as \`9007199254740993\` or \`1e400\`, is refused: send it as text.

## When a tool fails

The result has \`isError: true\`; its text, and \`_meta["platform/error"]\`, is \`{ "code", "message", "next_steps" }\`: the steps say in sentences whether to ask, to wait or to continue without it, and never to repeat the call for ever.

| Code | Meaning, and what to do |
| --- | --- |
${Object.entries(codes)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
| \`rate_limited\` | the session, or its workspace, calls too often; the message names the limit |
| \`unavailable\` | the platform could not be reached in time; the call may have taken effect |
`;
  return [head, ...tools.map(sectionOf)].join('\n');
}
